"""The words that give an instruction's clauses their meaning: negation, condition, haste, handing over.

Patterns only; `reading` says what follows from them.
"""

from __future__ import annotations

import re


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CLAUSE = _words(
    r"(?<=[.!?;])[\"')*]*\s+|\s+[—–]\s+|,?\s+(?:but|however|yet)\s+"
    r"|:\s+(?=(?:if|when|once|should)\b)|,\s+(?=(?:and\s+)?(?:never|do not|don't|avoid|must not)\b)"
    r"|\s+and\s+(?=(?:never|do not|don't)\b)"
)
CONDITION = _words(
    r"^\W*(?:(?:and|so|then|also)\s+)?(?:if|when(?:ever)?|once|in case|should|as long as|while"
    r"|because|since|as soon as"
    r"|after|for|with|where|before|in)\b[^,:]*[,:]\s*"
)
ONLY_CONDITION = _words(
    r"^\W*(?:and |so |then |also )?(?:if|when(?:ever)?|once|in case|should|as long as|as soon as"
    r"|after|on|in)\b[^,.;!?]*$"
)
CUSTOMER_DOES = _words(r"\b(customers?|users?|callers?|subscribers?) ((?:then |just )?)([a-z-]{2,}?)(e?s)\b")
MUST_BE_DONE = _words(
    r"\b(must|should|never|always|ha(?:s|ve) to|needs? to|(?:must|should|may|can) not)"
    r" be ([a-z-]{2,}?)(t?)ed\b"
)
DESCRIPTION = _words(r"^\s*(?:\*\*[^*]+\*\*|`?[a-z]+(?:_[a-z]+)+(?:\([^)]*\))?`?)\s*[-–]\s")
NOT_FORGET = _words(
    r"\b(?:do not|don't|never|without)\s+(?:ever\s+)?(?:forget|skip|omit|hesitat|overlook|miss|fail)\w*"
)
NEGATION = _words(
    r"\b(?:never|do not|don't|does not|doesn't|must not|mustn't|must never|should not|shouldn't"
    r"|should never|cannot|can't"
    r"|may not|are not|is not (?:to|allowed|permitted)|not (?:allowed|permitted|supposed)|avoid"
    r"|refrain|stop|no longer"
    r"|forbidden|prohibited|under no circumstances?|instead of|rather than)\b"
)
AFTERWARDS_FORBIDDEN = _words(
    r"\b(?:is|are) (?:not (?:allowed|permitted|an option)|forbidden|prohibited|off[ -]limits"
    r"|out of bounds|never|not (?:our|your|the agent's) (?:job|task|business))\b"
)
TRAILING = _words(r"\b(?:(?<!at )once|if|when|whenever|as soon as|because|since|unless|while)\b")
AFTER_DOING = _words(r"\bafter \w+ing\b")
HANDS_OFF = _words(
    r"\bleav(?:e|ing)\b.{0,50}\b(?:alone|untouched|as (?:it|they) (?:is|are|stands?))\b|\bhands off\b"
    r"|\bstay away from\b"
    r"|\bsteer clear\b|\boff[ -]limits\b|\bout of bounds\b"
    r"|\b(?:never|not|don't|avoid|refrain from) (?:\w+ ){0,4}?(?:touch|alter|tamper|meddle|fiddle)(?:ing)?\b"
)
EXCEPT = _words(
    r"\bunless\b|\buntil\b|\bwithout (?:\w+ ){0,2}(?:check|look|verif|confirm|see|ask|knowing"
    r"|test)\w*|\bblind(?:ly)?\b"
    r"|\bbefore\b|\bonly (?:if|when|once|after|where|in case)\b|\balready\b|\b(?:is|are"
    r"|looks?) (?:fine|healthy|ok|okay|normal|correct|good)\b|\bat home\b"
    r"|\bnot (?:abroad|travell?ing)\b|\bby guess\w*"
)
BLIND_HARD = _words(
    r"\bwithout (?:\w+ ){0,3}(?:check|look|verif|confirm|ask|diagnos|test|inspect)\w*|\bno (?:need"
    r"|matter|reason) (?:to )?"
    r"(?:check|look|verify|what|how|diagnose|test|confirm)\b|\bno check\w*|\bneed not (?:check|look"
    r"|be checked)\b"
    r"|\bregardless\b|\birrespective\b|\bwhatever\b|\bbefore (?:any|checking|looking|anything)\b"
    r"|\bskip(?:ping)? (?:\w+ ){0,2}(?:check|diagnos)\w*|\bchecking (?:it |this "
    r"|first )*(?:is not needed|is unnecessary)"
)
UNCONDITIONAL = _words(rf"\beven (?:if|when|though)\b|{BLIND_HARD.pattern}")
BLIND_SOFT = _words(
    r"\b(?:right|straight) ?away\b|\bimmediately\b|\bat once\b|\bfrom the (?:start|outset)\b"
    r"|\bfirst thing\b|\bevery time\b"
    r"|\bas a matter of (?:routine|course)\b|\bin (?:any|every|each) (?:case|call)\b"
    r"|\bas the (?:very )?first step\b"
)
SUBORDINATE = _words(
    r"\b(?:if|when|whenever|(?<!at )once|in case|after|should|unless|only|until|as soon as|where)\b"
)
COMPLAINT = _words(
    r"\b(?:calls?|calling|complain\w*|contacts?|mentions?|gets? in touch|reports? (?:an?|slow|no|that"
    r"|problems?|trouble|any)"
    r"|(?:has|have) (?:an?|any|trouble|problems?|no)|problems? with|trouble)\b"
)
TRANSFER = _words(
    r"\btransfer\w*|\bescalat\w+|\bhand\w* (?:\w+ ){0,5}(?:over|off|to)\b|\b(?:human|live) (?:agent"
    r"|colleague|being)"
    r"|\bpass (?:\w+ ){0,5}to (?:a |the |our )?(?:human|specialist|colleague)|\bspecialist\b"
)
TRANSFER_CANCELLED = _words(
    r"\b(?:before|instead of|rather than|without|never|do not|don't|avoid|no need to|no reason to"
    r"|must not|should not)"
    r" (?:\w+ ){0,4}?(?:transfer|escalat|hand|pass)\w*"
)
FALLBACK = _words(
    r"\bstill\b|\b(?:does not|doesn't|did not|didn't) (?:help|work|fix|solve|change)|\bfail(?:s"
    r"|ed)?\b|\bpersist\w*"
    r"|\botherwise\b|\bnone of\b|\blast resort\b|\ball else\b|\ball (?:the )?possible\b"
    r"|\bnothing (?:else )?(?:helps|works)"
)
PAST = _words(
    r"\b(?:past|passed|expired?|ended|over|lapsed|run out|ran out|ends|elapsed|finished|end date"
    r"|before today)\b"
)
LIFT = _words(r"resume_line|\b(?:resum|reactivat|lift|un-?suspend|restor)(?:e|ing)?\b")
SAVE_FOR = _words(r"\b(?:unless|except)\b")
ANYWAY = _words(
    r"\banyway\b|\beven (?:if|though|when)\b|\bregardless\b|\bnevertheless\b|\ball the same\b|\bno obstacle\b"
)
OWNER = _words(
    r"\b(?:customers?|users?|callers?|subscribers?|they|them|their|themselves|ask|guide|instruct|tell"
    r"|walk|request)\b"
)
CHECK_WORDS = _words(
    r"\b(?:if|when|once|unless|until|only|in case|after|should|provided)\b|\bcheck|\b(?:check|get|run"
    r"|can)_\w+|\bverify\b|\bconfirm\b"
)
PHONE_ROAMING = _words(
    r"toggle_roaming|\bphone\b(?! number)|\bdevice\b|\bhandset\b|\bsettings?\b|\bswitch\b|\btoggl"
    r"|\btheir end\b|\bcustomer's side\b"
    r"|\b(?:have|ask|guide|get|let|tell) (?:the |a )?(?:them|him|her|customer|user|caller)\b"
    r"|\bdata roaming (?:switch|is off)"
)
LINE_ROAMING = _words(
    r"(?:enable|disable)_roaming|\blines?\b|\baccount\b|\bcarrier\b|\bbackend\b|\bback end\b"
    r"|\bour (?:side|end|system)\b"
    r"|\bsubscription\b|\benabl(?:e|ing) (?:international )?roaming\b|\bprovision"
)
PERMISSION = _words(
    r"permissions?\b|grant_app_permission|\b(?:access|allow\w*|grant\w*)\b[^.;]{0,40}\b(?:storage|sms"
    r"|media)\b"
    r"|\b(?:storage|sms)\b[^.;]{0,20}\b(?:access|denied|granted|allowed)\b"
)
STORAGE = _words(r"\bstorage\b|\bmedia\b|\bphotos?\b|\bfiles?\b")
SMS = _words(r"\bsms\b|\btext messag")
MESSAGING = _words(r"\bmessag|\bmms\b|\bsms\b|\bstorage\b|\bpicture|\bapp\b")
MMS_WORDS = _words(r"\bmms\b|\bpicture|\bmultimedia\b")
