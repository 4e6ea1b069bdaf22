"""Delta reconstruction: the changed words change, and not a byte beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.config.role_model import RoleModel
from holdcourse.evolution.asking import Asker
from holdcourse.evolution.edits import AddEdge, AddNode, Edit, ModifyNode, RemoveNode, apply_edits
from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.layout import Layout, Span
from holdcourse.evolution.lines import line_end, line_start
from holdcourse.evolution.reconstruction import Reconstruction, reconstruct
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.state import GraphState
from holdcourse.llm.chat import ChatReply, ChatRequest, Usage
from holdcourse.llm.replies import read_block


def state_of(marked: str) -> GraphState:
    """The state of a text in which [square brackets] mark the units, all norms, in order."""
    graph, spans, text = InstructionGraph(), list[Span](), ""
    for number, piece in enumerate(re.split(r"[\[\]]", marked)):
        if number % 2:
            spans.append(Span(graph.add_node("norm", piece), len(text), len(text) + len(piece)))
        text += piece
    return GraphState(text, graph, Layout.of(spans))


class Echo:
    """A reconstructor that words every change by its statement."""

    def __init__(self) -> None:
        self.changes: list[dict[str, str]] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        self.changes = json.loads(read_block(request.messages[1].content or "", "changes"))
        wordings = [{"id": change["id"], "text": change["statement"]} for change in self.changes]
        return ChatReply(json.dumps({"wordings": wordings}), (), "stop", Usage(1, 1), None, 0.0)


@pytest.fixture(scope="module")
def change(schema: NetworkSchema, models: Mapping[str, RoleModel]) -> Callable[..., Reconstruction]:
    """Applies edits to a state and reconstructs with the echo."""

    def make(state: GraphState, *edits: Edit, echo: Echo | None = None) -> Reconstruction:
        applied = apply_edits(state.graph, edits, schema)
        assert applied.refused == ()
        return reconstruct(state, applied.graph, Asker(echo or Echo(), models, 7, 1))

    return make


@pytest.mark.parametrize(
    ("marked", "edits", "expected"),
    [
        # Rewording touches the span alone.
        ("- [one].\r\n- [two]!\r\n", [ModifyNode("n001", "uno")], "- uno.\r\n- two!\r\n"),
        ("- [one]\n", [ModifyNode("n001", "uno\ndue")], "- uno due\n"),
        ("[one\r\nmore]\r\n", [ModifyNode("n001", "uno\ndue")], "uno\r\ndue\r\n"),
        ("- [one]\n", [ModifyNode("n001", "* uno")], "- uno\n"),
        # A removed unit takes its line with it when nothing else stands there.
        ("# T\n- [one]\n- [two]\nend", [RemoveNode("n001")], "# T\n- two\nend"),
        ("a\r\n1. [one].\r\n2. [two]\r\n", [RemoveNode("n001")], "a\r\n2. two\r\n"),
        ("a\n[one]", [RemoveNode("n001")], "a\n"),
        ("- [one], [two].\nend", [RemoveNode("n001"), RemoveNode("n002")], "end"),
        ("x\n- [one\n  more]\ny\n", [RemoveNode("n001")], "x\ny\n"),
        # It leaves what else stands on the line.
        ("[one] [two]\n", [RemoveNode("n001")], "two\n"),
        ("[one] [two]\n", [RemoveNode("n002")], "one\n"),
        ("[one] [two] [three]\n", [RemoveNode("n002")], "one three\n"),
        ("- [one] Kept.\n", [RemoveNode("n001")], "- Kept.\n"),
        ("Note: [one\nmore] end\n", [RemoveNode("n001")], "Note: end\n"),
        ("Kept [one] 3.\n", [RemoveNode("n001")], "Kept 3.\n"),
        # An added unit is a line below its anchor, in its style.
        (
            "- [one]\r\n- [two]\r\n",
            [AddNode("x", "norm", "new"), AddEdge("x", "refines", "n001")],
            "- one\r\n- new\r\n- two\r\n",
        ),
        (
            "- [one]\n- [two]\n",
            [AddNode("x", "norm", "new"), AddEdge("n001", "sequence", "x")],
            "- one\n- new\n- two\n",
        ),
        (
            "- [one]\n- [two]\n",
            [AddNode("x", "norm", "new"), AddEdge("x", "sequence", "n002")],
            "- one\n- new\n- two\n",
        ),
        (
            "[one]\n\n  * [two]\n",
            [AddNode("x", "knowledge", "new"), AddEdge("x", "supports", "n002")],
            "one\n\n  * two\n  * new\n",
        ),
        (
            "- [one]\n    - below\n\n- [two]\n",
            [AddNode("x", "norm", "new"), AddEdge("x", "refines", "n001")],
            "- one\n    - below\n- new\n\n- two\n",
        ),
        (
            "1. [one]\n2. [two]\n",
            [AddNode("x", "norm", "new"), AddEdge("x", "refines", "n001")],
            "1. one\n   - new\n2. two\n",
        ),
        (
            "[one]. [two\nmore]\nend\n",
            [AddNode("x", "norm", "new"), AddEdge("x", "refines", "n001")],
            "one. two\nmore\nnew\nend\n",
        ),
        # Without a relation: by resemblance, else at the end.
        (
            "- [check bill]\n- [greet]\n",
            [AddNode("x", "norm", "Pay bill.")],
            "- check bill\n- Pay bill.\n- greet\n",
        ),
        ("- [one]\n- [two]", [AddNode("x", "norm", "new")], "- one\n- two\n- new"),
        ("- [one]\n\nend\n", [AddNode("x", "norm", "new")], "- one\n\nend\nnew\n"),
        ("", [AddNode("x", "norm", "new")], "new\n"),
        # Added units may hang on added units.
        (
            "- [one]\n- [two]\n",
            [
                AddNode("a", "norm", "third"),
                AddNode("b", "norm", "second"),
                AddNode("c", "norm", "fourth"),
                AddEdge("n001", "sequence", "b"),
                AddEdge("b", "sequence", "a"),
                AddEdge("a", "sequence", "c"),
            ],
            "- one\n- second\n- third\n- fourth\n- two\n",
        ),
        (
            "- [one]\n- [two]\n",
            [
                AddNode("a", "norm", "later"),
                AddNode("b", "norm", "sooner"),
                AddEdge("n001", "sequence", "a"),
                AddEdge("b", "sequence", "a"),
            ],
            "- one\n- sooner\n- later\n- two\n",
        ),
        # All at once.
        (
            "# T\n- [one]\n- [two]\n- [three]\n",
            [
                RemoveNode("n002"),
                ModifyNode("n003", "tre"),
                AddNode("x", "norm", "new"),
                AddEdge("n001", "sequence", "x"),
            ],
            "# T\n- one\n- new\n- tre\n",
        ),
    ],
)
def test_what_becomes_of_the_text(
    marked: str, edits: list[Edit], expected: str, change: Callable[..., Reconstruction]
) -> None:
    result = change(state_of(marked), *edits)
    assert result.state.instruction == expected
    assert result.unchanged_because is None


def test_the_reconstructor_sees_each_place(change: Callable[..., Reconstruction]) -> None:
    echo = Echo()
    edits = (ModifyNode("n002", "due"), AddNode("x", "norm", "new"), AddEdge("n003", "sequence", "x"))
    change(state_of("# T\r\n- [one]\r\n- so [two].\r\n- [three]\r\n"), *edits, echo=echo)
    assert echo.changes == [
        {
            "id": "n002",
            "change": "modified",
            "statement": "due",
            "old_wording": "two",
            "before": "- one",
            "after": "- three",
        },
        {
            "id": "n004",
            "change": "added",
            "statement": "new",
            "old_wording": "",
            "before": "- three",
            "after": "",
        },
    ]


def test_relations_alone_change_no_text_and_ask_nobody(
    schema: NetworkSchema, asking: Callable[..., tuple]
) -> None:
    before = state_of("- [one]\n- [two]\n")
    graph = apply_edits(before.graph, (AddEdge("n001", "refines", "n002"),), schema).graph
    ask, model = asking({})
    result = reconstruct(before, graph, ask)
    assert (result.state.instruction, result.state.graph) == (before.instruction, graph)
    assert model.requests == []


def word(id_: str, text: str) -> dict[str, str]:
    return {"id": id_, "text": text}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("no JSON", "no JSON object"),
        ({"wordings": [word("n001", "uno")]}, "no wording for n003"),
        ({"wordings": [word("n001", "uno"), word("n003", " - ")]}, "empty for n003"),
        ({"wordings": [word("n001", "uno"), word("n003", "x"), word("n003", "y")]}, "two wordings"),
    ],
)
def test_without_a_full_set_of_wordings_the_state_stays(
    reply: object, reason: str, asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    before = state_of("- [one]\n- [two]\n")
    edits = (ModifyNode("n001", "uno"), RemoveNode("n002"), AddNode("x", "norm", "new"))
    ask, model = asking({"reconstructor": [reply, reply]})
    result = reconstruct(before, apply_edits(before.graph, edits, schema).graph, ask)
    assert result.state == before
    assert reason in (result.unchanged_because or "")
    assert len(model.requests) == 2


def test_an_instruction_is_never_emptied(change: Callable[..., Reconstruction]) -> None:
    before = state_of("- [one]\n")
    result = change(before, RemoveNode("n001"))
    assert result.state == before
    assert result.unchanged_because


PIECES = st.lists(
    st.sampled_from(
        ["\r\n", "\n", "- ", "  ", " ", "1. ", "abc", "größer", "\U0001f600", ".", "\t", "\u2028", "e\u0301"]
    ),
    max_size=4,
).map("".join)
UNITS = st.lists(st.sampled_from(["word", " ", "Ω≥2", "\r\n", "!"]), min_size=1, max_size=3).map(
    lambda pieces: "".join(pieces).strip() or "unit"
)


@st.composite
def states(draw: st.DrawFn) -> GraphState:
    """Random Unicode text, units at random places in it, some of them joined by random relations."""
    graph, spans, text = InstructionGraph(), list[Span](), draw(PIECES)
    for _ in range(draw(st.integers(0, 6))):
        words = draw(UNITS)
        node = graph.add_node("norm", words)
        spans.append(Span(node, len(text), len(text) + len(words)))
        text += words + draw(PIECES)
    return GraphState(text, graph, Layout.of(spans))


@st.composite
def additions_and_rewordings(draw: st.DrawFn, nodes: list[str]) -> list[Edit]:
    edits: list[Edit] = [ModifyNode(node, f"reworded {node}") for node in nodes if draw(st.booleans())]
    names = [f"new{number}" for number in range(draw(st.integers(0, 4)))]
    edits += [AddNode(name, "norm", f"added {name}") for name in names]
    if names:
        ends = st.sampled_from([*nodes, *names])
        relations = st.sampled_from(["refines", "sequence"])
        edits += draw(st.lists(st.builds(AddEdge, ends, relations, ends), max_size=5))
    return edits


def undone(result: Reconstruction, before: GraphState) -> str:
    """The new text with added lines taken out and old words put back."""
    text = result.state.instruction
    for span in reversed(result.state.layout.spans):
        if span.node in before.graph:
            text = text[: span.start] + before.wording(span.node) + text[span.end :]
            continue
        start, end = line_start(text, span.start), line_end(text, span.end)
        if not text[:end].endswith("\n"):
            start -= 2 if text[:start].endswith("\r\n") else min(start, 1)
        text = text[:start] + text[end:]
    return text


@given(data=st.data())
def test_additions_and_rewordings_leave_every_other_byte(
    data: st.DataObject, schema: NetworkSchema, models: Mapping[str, RoleModel]
) -> None:
    before = data.draw(states())
    edits = data.draw(additions_and_rewordings([node.id for node in before.graph.nodes()]))
    graph = apply_edits(before.graph, edits, schema).graph
    result = reconstruct(before, graph, Asker(Echo(), models, 7, 1))
    assert result.unchanged_because is None
    assert undone(result, before).encode() == before.instruction.encode()
    for node in graph.nodes():
        assert result.state.wording(node.id) == node.text


@given(data=st.data())
def test_removals_take_their_words_and_no_others(
    data: st.DataObject, change: Callable[..., Reconstruction]
) -> None:
    before = data.draw(states())
    gone = [node.id for node in before.graph.nodes() if data.draw(st.booleans())]
    result = change(before, *(RemoveNode(node) for node in gone))
    if result.unchanged_because:
        assert result.state == before
        return
    old, new = before.instruction, result.state.instruction
    cut = [before.layout.span(node) for node in gone]
    kept = [c for n, c in enumerate(old) if not any(s.start <= n < s.end for s in cut)]
    # List numbers go with their emptied line; every other letter and digit stays, in order.
    assert [c for c in new if c.isalpha()] == [c for c in kept if c.isalpha()]
    position = 0
    for line in re.finditer(r"[^\n]*(?:\n|$)", old):
        if not any(s.start < line.end() and line.start() < s.end for s in cut):
            position = new.index(line.group(), position) + len(line.group())
    for span in result.state.layout.spans:
        assert result.state.wording(span.node) == before.wording(span.node)


@given(data=st.data())
def test_any_edits_leave_units_verbatim_and_in_order(
    data: st.DataObject, schema: NetworkSchema, models: Mapping[str, RoleModel]
) -> None:
    before = data.draw(states())
    nodes = [node.id for node in before.graph.nodes()]
    edits = data.draw(additions_and_rewordings(nodes))
    edits += [RemoveNode(node) for node in nodes if data.draw(st.booleans())]
    graph = apply_edits(before.graph, edits, schema).graph
    results = [reconstruct(before, graph, Asker(Echo(), models, 7, 1)) for _ in range(2)]
    assert results[0] == results[1]
    if results[0].unchanged_because:
        return
    state = results[0].state
    state.check()
    assert [span.node for span in state.layout.spans if span.node in before.graph] == [
        span.node for span in before.layout.spans if span.node in graph
    ]
    for node in graph.nodes():
        assert state.wording(node.id) == node.text
