import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from holdcourse.simulated.wholetext import issues_of
from holdcourse.telecom.data import main_policy

from .conftest import Ask, provider, role_request

RULE = "If Data Saver is on, have the customer turn it off."
BARE_RULE = "Use toggle_data_saver_mode to turn Data Saver off."
SAME = "Ask the customer to disable Data Saver once check_data_restriction_status shows it active."
NEVER = "Never have the customer switch Data Saver off."
VPN = "If a slow VPN is connected, have the customer disconnect it."
TEXT = f"# Rules\n\n- {RULE}\n- Be kind to callers.\n"


def rewritten(ask: Ask, text: str, *lessons: tuple[str, str], level: float = 1.0) -> JsonValue:
    rows: list[JsonValue] = [{"lesson": lesson, "because": why} for lesson, why in lessons]
    return ask("holistic", {"instruction": text, "observation": {"lessons": rows}}, level=level)[
        "instruction"
    ]


def test_what_is_said_already_changes_nothing(ask: Ask) -> None:
    assert rewritten(ask, TEXT, (SAME, "Why.")) == TEXT


def test_a_unit_that_says_less_takes_in_what_is_new(ask: Ask) -> None:
    text = f"{BARE_RULE}\nBe kind."
    assert rewritten(ask, text, (SAME, "")) == f"{BARE_RULE} {SAME}\nBe kind."


def test_what_is_new_stands_at_the_end_and_what_is_on_a_known_subject_below_it(ask: Ask) -> None:
    assert rewritten(ask, TEXT, (VPN, "It is slow."), (NEVER, "")) == (
        f"# Rules\n\n- {RULE}\n- {NEVER}\n- Be kind to callers.\n- {VPN} It is slow.\n"
    )


def test_merges_into_one_unit_accumulate(ask: Ask) -> None:
    unowned = "If Data Saver is on, use toggle_data_saver_mode to turn it off."
    text = f"{BARE_RULE}\nBe kind."
    assert rewritten(ask, text, (unowned, "It is slow."), (SAME, "")) == (
        f"{BARE_RULE} {unowned} It is slow. {SAME}\nBe kind."
    )


def test_a_ground_that_a_sentence_of_the_text_gives_is_not_given_again(ask: Ask) -> None:
    ground = "A detour over a slow VPN server eats up the speed."
    text = f"- {RULE} {ground}\n"
    assert rewritten(ask, text, (VPN, ground)) == f"{text}- {VPN}\n"
    assert rewritten(ask, text, (VPN, ground), level=0.0) == f"{text}- {VPN} {ground}\n"


def test_without_competence_every_lesson_is_put_at_the_end(ask: Ask) -> None:
    assert rewritten(ask, TEXT, (RULE, ""), level=0.0) == f"{TEXT}- {RULE}\n"
    assert rewritten(ask, "No line end", (RULE, ""), level=0.0) == f"No line end\n- {RULE}\n"


def test_the_guard_takes_out_the_line_that_loses(ask: Ask) -> None:
    reply = ask("guard", {"instruction": f"- {RULE}\n- {NEVER}\n- {VPN}\n"})
    assert reply["instruction"] == f"- {RULE}\n- {VPN}\n"
    assert reply["findings"] == [
        {
            "kind": "contradiction",
            "first": RULE,
            "second": NEVER,
            "why": "both cannot be followed on: data saver",
        }
    ]


def test_the_guard_keeps_the_sentences_that_do_not_contradict(ask: Ask) -> None:
    reply = ask("guard", {"instruction": f"{RULE} {VPN}\nIf Data Saver is on, transfer to a human.\n"})
    assert reply["instruction"] == f"{VPN}\nIf Data Saver is on, transfer to a human.\n"


def test_a_guard_without_competence_leaves_the_text_alone(ask: Ask) -> None:
    text = f"- {RULE}\n- {NEVER}\n"
    assert ask("guard", {"instruction": text}, level=0.0) == {"findings": [], "instruction": text}


def test_the_auditor_reports_what_it_sees(ask: Ask) -> None:
    reply = ask("auditor", {"instruction": f"{RULE}\n\n{SAME}\n\n{NEVER}"})
    pairs = {
        kind: [(row["first"], row["second"]) for row in rows if isinstance(row, dict)]
        for kind, rows in reply.items()
        if isinstance(rows, list)
    }
    assert pairs == {"contradictions": [(RULE, NEVER), (SAME, NEVER)], "redundancies": [(RULE, SAME)]}


def test_auditors_of_half_competence_see_half_of_it_and_differ_by_trial() -> None:
    text = f"{RULE}\n\n{NEVER}"
    counts = []
    for trial in range(200):
        request = role_request("auditor", {"instruction": text}, trial=trial)
        counts.append(len(json.loads(provider(0.5).complete(request).content or "")["contradictions"]))
    assert 70 < sum(counts) < 130


def test_steps_of_a_procedure_are_no_redundancy() -> None:
    steps = f"Follow these steps:\n- {RULE}\n- {SAME}\n"
    assert issues_of(steps) == ()
    assert len(issues_of(f"- {RULE}\n- {SAME}\n")) == 1


def test_the_operators_own_policy_does_not_contradict_itself() -> None:
    assert [issue for issue in issues_of(main_policy()) if issue.verdict.kind == "contradiction"] == []


@given(
    st.text(alphabet="-# a.\n1", max_size=60), st.lists(st.sampled_from([RULE, NEVER, VPN, SAME]), max_size=4)
)
def test_text_that_no_lesson_concerns_is_kept(text: str, lines: list[str]) -> None:
    whole = "\n".join([text, *lines])
    blocks: dict[str, JsonValue] = {"instruction": whole, "observation": {"lessons": []}}
    reply = provider(1.0).complete(role_request("holistic", blocks))
    assert json.loads(reply.content or "")["instruction"] == whole
    mended = json.loads(provider(1.0).complete(role_request("guard", {"instruction": whole})).content or "")
    # What is mended once has nothing left to mend that the first reading showed.
    assert len(issues_of(mended["instruction"])) <= len(issues_of(whole))
