"""Questions to a person: in a terminal, and as a file."""

from pathlib import Path

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.results.rating import Answer, Question, ask, read_answers, write_questions
from topiccrawler.store.pages import PageRecord

ONE = Question.of(
    PageRecord(url="http://a.example/1", title="=cmd()", text="-1 龙井\n\n茶"), "relevance 0.150"
)
TWO = Question("http://a.example/2", "", "")


def test_a_terminal_shows_a_page_and_asks_until_it_understands() -> None:
    said: list[str] = []
    replies = iter(["what", " Y ", "skip", "q"])
    found = list(ask([ONE, TWO, ONE], said.append, lambda _: next(replies), first=6))
    assert found == [Answer(ONE.url, True), Answer(TWO.url, None)]
    assert said[0] == "\n6. =cmd()  [relevance 0.150]\n   http://a.example/1\n   -1 龙井 茶"
    assert said[1] == "\n7. (no title)\n   http://a.example/2"


def test_the_end_of_the_input_ends_the_questions() -> None:
    def end(_: str) -> str:
        raise EOFError

    assert list(ask([ONE], lambda _: None, end)) == []


def test_a_file_is_safe_in_a_spreadsheet_and_comes_back_filled_in(tmp_path: Path) -> None:
    place = tmp_path / "questions.csv"
    write_questions(place, [ONE, TWO])
    text = place.read_bytes().decode("utf-8")
    assert (
        text
        == "\ufeffurl,title,text,answer\r\nhttp://a.example/1,'=cmd(),'-1 龙井 茶,\r\nhttp://a.example/2,,,\r\n"
    )
    assert read_answers(place) == {}
    place.write_text(
        "URL;Title;Answer\r\nhttp://a.example/1;x;是\r\nhttp://a.example/2;;N\r\n;;\r\n", encoding="utf-8"
    )
    assert read_answers(place) == {"http://a.example/1": True, "http://a.example/2": False}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", r"answers\.csv: .*\burl\b.*\banswer\b"),
        ("url,answer\nhttp://a.example/,maybe\n", r"row 2: .*'maybe'.*\by\b.*\bn\b"),
        ("url,title,answer\n\nhttp://a.example/\n", "row 3: "),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, fault: str) -> None:
    place = tmp_path / "answers.csv"
    place.write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match=fault):
        read_answers(place)
