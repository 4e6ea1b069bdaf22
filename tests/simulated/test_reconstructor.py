import pytest

from .conftest import Ask


@pytest.mark.parametrize(
    ("statement", "old", "before", "text"),
    [
        ("Be brief.", "", "- Be kind.", "Be brief."),
        ("Be brief.", "", "- Be kind", "Be brief"),
        ("- Be\n brief.", "You should be brief.", "", "Be brief."),
        ("Ask first. Then act.", "", "1. Be kind", "Ask first. Then act."),
    ],
)
def test_a_statement_is_worded_like_its_neighbours_on_one_line(
    ask: Ask, statement: str, old: str, before: str, text: str
) -> None:
    change = {
        "id": "n1",
        "change": "added",
        "statement": statement,
        "old_wording": old,
        "before": before,
        "after": "",
    }
    assert ask("reconstructor", {"changes": [change]}) == {"wordings": [{"id": "n1", "text": text}]}
