from pydantic import JsonValue

from .conftest import Ask

RULE = "If Data Saver is on, have the customer turn it off."
SAME = "Ask the customer to disable Data Saver once check_data_restriction_status shows it active."
NEVER = "Never have the customer switch Data Saver off."
VPN = "If a slow VPN is connected, have the customer disconnect it."
WHY = "Data Saver throttles everything the phone does online."
WHY_ELSE = "With Data Saver on, a phone never reaches full speed."


def node(identifier: str, text: str, touched: bool = False, kind: str = "norm") -> JsonValue:
    return {"id": identifier, "type": kind, "text": text, "touched": touched}


def edge(source: str, relation: str, target: str) -> dict[str, JsonValue]:
    return {"source": source, "relation": relation, "target": target}


def issues(
    ask: Ask, nodes: list[JsonValue], edges: tuple[dict[str, JsonValue], ...] = (), level: float = 1.0
) -> list[tuple[object, object, object]]:
    rows = ask("analyst", {"subgraph": {"nodes": nodes, "edges": list(edges)}}, level=level)["issues"]
    assert isinstance(rows, list)
    return [(row["kind"], row["nodes"], row["repairs"]) for row in rows if isinstance(row, dict)]


def test_a_redundant_unit_is_removed_and_its_relations_pass_to_the_one_that_stays(ask: Ask) -> None:
    nodes = [
        node("n1", RULE),
        node("n2", SAME, touched=True),
        node("n3", WHY, kind="knowledge"),
        node("n4", VPN),
    ]
    edges = (edge("n3", "supports", "n1"), edge("n2", "refines", "n1"), edge("n1", "sequence", "n4"))
    assert issues(ask, nodes, edges) == [
        (
            "redundancy",
            ["n1", "n2"],
            [
                {"op": "RemoveNode", "id": "n1"},
                {"op": "AddEdge", "source": "n3", "relation": "supports", "target": "n2"},
                {"op": "AddEdge", "source": "n2", "relation": "sequence", "target": "n4"},
            ],
        )
    ]


def test_rules_on_distinct_grounds_are_not_redundant(ask: Ask) -> None:
    nodes = [
        node("n1", RULE),
        node("n2", SAME, touched=True),
        node("n3", WHY, kind="knowledge"),
        node("n4", WHY_ELSE, kind="knowledge"),
    ]
    assert issues(ask, nodes, (edge("n3", "supports", "n1"), edge("n4", "supports", "n2"))) == []


def test_steps_of_a_sequence_are_not_redundant(ask: Ask) -> None:
    assert issues(ask, [node("n1", RULE), node("n2", SAME, True)], (edge("n1", "sequence", "n2"),)) == []


def test_a_contradiction_costs_the_unit_without_a_condition(ask: Ask) -> None:
    assert issues(ask, [node("n1", RULE), node("n2", NEVER, touched=True)]) == [
        ("contradiction", ["n1", "n2"], [{"op": "RemoveNode", "id": "n2"}])
    ]


def test_grounds_outweigh_a_condition(ask: Ask) -> None:
    nodes = [node("n1", RULE), node("n2", NEVER, touched=True), node("n3", WHY, kind="knowledge")]
    assert issues(ask, nodes, (edge("n3", "supports", "n2"),))[0][2] == [{"op": "RemoveNode", "id": "n1"}]


def test_what_does_not_contradict_stays(ask: Ask) -> None:
    assert issues(ask, [node("n1", RULE), node("n2", f"{NEVER} {VPN}", touched=True)])[0][2] == [
        {"op": "RemoveNode", "id": "n1"}
    ]
    assert issues(ask, [node("n1", f"{RULE} {VPN}"), node("n2", f"{NEVER} {VPN}")]) == []
    both = [
        node("n1", f"{RULE} {VPN}"),
        node("n2", "If Data Saver is on, transfer to a human.", touched=True),
    ]
    assert issues(ask, both)[0][2] == [{"op": "ModifyNode", "id": "n1", "text": VPN}]


def test_only_pairs_with_a_touched_unit_are_looked_at(ask: Ask) -> None:
    assert issues(ask, [node("n1", RULE), node("n2", NEVER), node("n3", VPN, touched=True)]) == []


def test_without_competence_nothing_is_seen_and_nothing_is_made_up(ask: Ask) -> None:
    assert issues(ask, [node("n1", RULE), node("n2", NEVER, touched=True)], level=0.0) == []
    assert issues(ask, [node("n1", RULE), node("n2", VPN, touched=True)], level=1.0) == []
