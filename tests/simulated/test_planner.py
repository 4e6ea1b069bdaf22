from collections.abc import Sequence

from pydantic import JsonValue

from .conftest import Ask

RULE = "If Data Saver is on, have the customer turn it off."
BARE_RULE = "Use toggle_data_saver_mode to turn Data Saver off."
LESSON = "Ask the customer to disable Data Saver once check_data_restriction_status shows it active."
VPN = "If a slow VPN is connected, have the customer disconnect it."
UNOWNED = "If Data Saver is on, use toggle_data_saver_mode to turn it off."
WHY = "Data Saver throttles everything the phone does online."
GROUND = "A detour over a slow VPN server eats up the speed."


def node(identifier: str, kind: str, text: str) -> dict[str, JsonValue]:
    return {"id": identifier, "type": kind, "text": text}


def plan(
    ask: Ask,
    nodes: list[dict[str, JsonValue]],
    *lessons: tuple[str, str],
    edges: Sequence[JsonValue] = (),
    level: float = 1.0,
) -> JsonValue:
    rows: list[JsonValue] = [{"lesson": text, "type": "norm", "because": why} for text, why in lessons]
    blocks: dict[str, JsonValue] = {
        "graph": {"nodes": list(nodes), "edges": list(edges)},
        "observation": {"lessons": rows},
    }
    return ask("planner", blocks, level=level)["edits"]


def test_what_is_said_already_needs_no_edit(ask: Ask) -> None:
    assert plan(ask, [node("n1", "norm", RULE)], (LESSON, "")) == []


def test_what_says_less_is_merged_with_what_is_new(ask: Ask) -> None:
    assert plan(ask, [node("n1", "norm", BARE_RULE)], (LESSON, "")) == [
        {"op": "ModifyNode", "id": "n1", "text": f"{BARE_RULE} {LESSON}"}
    ]


def test_what_is_new_is_added_with_its_ground(ask: Ask) -> None:
    assert plan(ask, [node("n1", "norm", RULE)], (VPN, GROUND)) == [
        {"op": "AddNode", "id": "new1", "type": "norm", "text": VPN},
        {"op": "AddNode", "id": "new1_ground", "type": "knowledge", "text": GROUND},
        {"op": "AddEdge", "source": "new1_ground", "relation": "supports", "target": "new1"},
    ]


def test_a_known_ground_is_used_again(ask: Ask) -> None:
    edits = plan(ask, [node("n1", "knowledge", GROUND)], (VPN, GROUND))
    assert edits == [
        {"op": "AddNode", "id": "new1", "type": "norm", "text": VPN},
        {"op": "AddEdge", "source": "n1", "relation": "supports", "target": "new1"},
    ]


def test_what_contradicts_is_added_beside_the_unit_on_its_subject(ask: Ask) -> None:
    never = "Never have the customer switch Data Saver off."
    assert plan(ask, [node("n1", "norm", RULE), node("n2", "norm", VPN)], (never, "")) == [
        {"op": "AddNode", "id": "new1", "type": "norm", "text": never},
        {"op": "AddEdge", "source": "new1", "relation": "refines", "target": "n1"},
    ]


def test_without_competence_a_lesson_becomes_a_plain_duplicate_and_so_does_its_ground(ask: Ask) -> None:
    nodes = [node("n1", "norm", VPN), node("n2", "knowledge", GROUND)]
    assert plan(ask, nodes, (VPN, GROUND), (RULE, ""), level=0.0) == [
        {"op": "AddNode", "id": "new1", "type": "norm", "text": VPN},
        {"op": "AddNode", "id": "new1_ground", "type": "knowledge", "text": GROUND},
        {"op": "AddEdge", "source": "new1_ground", "relation": "supports", "target": "new1"},
        {"op": "AddNode", "id": "new2", "type": "norm", "text": RULE},
    ]


def test_a_merged_lesson_brings_its_ground(ask: Ask) -> None:
    assert plan(ask, [node("n1", "norm", BARE_RULE)], (LESSON, WHY)) == [
        {"op": "AddNode", "id": "new1_ground", "type": "knowledge", "text": WHY},
        {"op": "AddEdge", "source": "new1_ground", "relation": "supports", "target": "n1"},
        {"op": "ModifyNode", "id": "n1", "text": f"{BARE_RULE} {LESSON}"},
    ]
    known = [node("n1", "norm", BARE_RULE), node("n2", "knowledge", WHY)]
    assert plan(ask, known, (LESSON, WHY)) == [
        {"op": "AddEdge", "source": "n2", "relation": "supports", "target": "n1"},
        {"op": "ModifyNode", "id": "n1", "text": f"{BARE_RULE} {LESSON}"},
    ]


def test_merges_into_one_unit_accumulate(ask: Ask) -> None:
    both = f"{BARE_RULE} Use disconnect_vpn to close the VPN."
    assert plan(ask, [node("n1", "norm", both)], (LESSON, ""), (VPN, "")) == [
        {"op": "ModifyNode", "id": "n1", "text": f"{both} {LESSON}"}
    ]
    assert plan(ask, [node("n1", "norm", BARE_RULE)], (UNOWNED, ""), (LESSON, "")) == [
        {"op": "ModifyNode", "id": "n1", "text": f"{BARE_RULE} {UNOWNED} {LESSON}"}
    ]


def test_relations_that_are_there_are_not_asked_for_again(ask: Ask) -> None:
    nodes = [node("n1", "norm", BARE_RULE), node("n2", "knowledge", WHY)]
    present = [{"source": "n2", "relation": "supports", "target": "n1"}]
    assert plan(ask, nodes, (LESSON, WHY), edges=present) == [
        {"op": "ModifyNode", "id": "n1", "text": f"{BARE_RULE} {LESSON}"}
    ]


def relate(
    ask: Ask,
    edited: list[JsonValue],
    candidates: list[JsonValue],
    incident: tuple[JsonValue, ...] = (),
    level: float = 1.0,
) -> JsonValue:
    blocks: dict[str, JsonValue] = {"edited": edited, "incident": list(incident), "candidates": candidates}
    return ask("relations", blocks, level=level)["edits"]


NEW = node("n3", "norm", LESSON)
OTHERS: list[JsonValue] = [
    node("n1", "norm", "Turn Data Saver off."),
    node("n2", "knowledge", "Data Saver throttles everything the phone does online."),
    node("n4", "norm", VPN),
]


def test_units_on_one_subject_are_related(ask: Ask) -> None:
    assert relate(ask, [NEW], OTHERS) == [
        {"op": "AddEdge", "source": "n3", "relation": "refines", "target": "n1"},
        {"op": "AddEdge", "source": "n2", "relation": "supports", "target": "n3"},
    ]


def test_what_is_related_already_is_left_so(ask: Ask) -> None:
    present = {"source": "n3", "relation": "refines", "target": "n1"}
    assert relate(ask, [NEW], OTHERS[:1], (present,)) == []


def test_relations_need_competence(ask: Ask) -> None:
    assert relate(ask, [NEW], OTHERS, level=0.0) == []
