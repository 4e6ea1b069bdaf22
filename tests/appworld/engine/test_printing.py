import pytest

from holdcourse.appworld.engine.printing import BoundedText, cut


def test_an_output_of_the_length_is_whole() -> None:
    assert cut("abc", 3) == "abc"


def test_a_longer_one_keeps_its_beginning_and_says_how_long_it_was() -> None:
    assert cut("abcd", 3) == "abc\n[cut: 4 characters in all]"


def test_a_text_stops_its_writer_once_and_takes_no_more() -> None:
    said: list[str] = []
    text = BoundedText(5, said.append)
    text.write("abc")
    with pytest.raises(OverflowError, match="more than 5 characters"):
        text.write("def")
    assert text.write("the error that is shown of it") > 0
    assert text.getvalue() == "abc"
    assert said == ["printing more than 5 characters"]
