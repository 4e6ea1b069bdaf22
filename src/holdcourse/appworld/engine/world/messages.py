"""Writes mail, contacts, text messages and alarms."""

from __future__ import annotations

from collections.abc import Mapping

from holdcourse.appworld.engine.world.accounts import JOINED
from holdcourse.appworld.engine.world.records import Contact, Mail, Person, World
from holdcourse.appworld.engine.world.tables import Tables


def write_messages(world: World, tables: Tables) -> None:
    """Add what people wrote to one another, oldest first, and the alarms of their phones."""
    by_email = {person.email: (number, person) for number, person in enumerate(world.people, start=1)}
    by_phone = {person.phone_number: number for number, person in enumerate(world.people, start=1)}
    for number, person in enumerate(world.people, start=1):
        for contact in person.contacts:
            tables.add("phone", "Contact", user_id=number, **_contact(contact, by_email))
        for alarm in person.alarms:
            tables.add(
                "phone",
                "Alarm",
                user_id=number,
                time=alarm.time,
                repeat_days=list(alarm.days),
                label=alarm.label,
                enabled=alarm.enabled,
                snooze_minutes=alarm.snooze_minutes,
                vibration=True,
                created_at=JOINED,
            )
    mails = [mail for person in world.people for mail in (*person.mails, *person.sent_mails)]
    for mail in sorted(mails, key=lambda mail: (mail.sent, mail.sender, mail.recipients)):
        _write_mail(mail, by_email, tables)
    texts = [text for person in world.people for text in person.texts]
    for text in sorted(texts, key=lambda text: (text.sent, text.sender, text.receiver)):
        sender, receiver = by_phone[text.sender], by_phone[text.receiver]
        message = tables.add(
            "phone",
            "GlobalTextMessage",
            sender_id=sender,
            receiver_id=receiver,
            message=text.message,
            created_at=text.sent,
        )
        for user in (sender, receiver):
            tables.add(
                "phone", "UserTextMessage", global_text_message_id=message, user_id=user, created_at=text.sent
            )


def _contact(contact: Contact, by_email: Mapping[str, tuple[int, Person]]) -> dict[str, object]:
    _, person = by_email[contact.email]
    home = person.addresses[0]
    return {
        "first_name": contact.first_name,
        "last_name": contact.last_name,
        "email": contact.email,
        "phone_number": contact.phone_number,
        "relationships": [contact.relationship],
        "birthday": person.birthday,
        "home_address": f"{home.street_address}, {home.city}, {home.state}",
        "created_at": JOINED,
    }


def _write_mail(mail: Mail, by_email: Mapping[str, tuple[int, Person]], tables: Tables) -> None:
    sender = by_email[mail.sender][0]
    recipients = [by_email[address][0] for address in mail.recipients]
    email = tables.add(
        "gmail",
        "Email",
        sender_id=sender,
        recipient_ids=recipients,
        subject=mail.subject,
        body=mail.body,
        created_at=mail.sent,
    )
    thread = tables.add(
        "gmail", "GlobalEmailThread", email_ids=[email], created_at=mail.sent, updated_at=mail.sent
    )
    for user in (sender, *recipients):
        incoming = user != sender
        tables.add(
            "gmail",
            "UserEmailThread",
            global_email_thread_id=thread,
            user_id=user,
            email_ids=[email],
            incoming=incoming,
            outgoing=not incoming,
            read=mail.read or not incoming,
            starred=mail.starred and incoming,
            archived=mail.archived and incoming,
            label=mail.label if incoming else None,
            sender_email_addresses=[mail.sender],
            sender_names=[by_email[mail.sender][1].name],
            recipient_email_addresses=list(mail.recipients),
            recipient_names=[by_email[address][1].name for address in mail.recipients],
            created_at=mail.sent,
            updated_at=mail.sent,
        )
