from collections.abc import Callable
from pathlib import Path

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.lab.recorded_web import RecordedPages, read_labels

WEB = {f"http://a.example/{name}": name for name in ("", "one/", "two.html", "three/")}


def test_labels_are_compared_by_the_page_they_lead_to(
    recorded: Callable[..., RecordedPages], tmp_path: Path
) -> None:
    file = tmp_path / "labels.tsv"
    file.write_text(
        "#url\ttopics\thow\tkind\n"
        "https://A.example:443/\t\t-\thome\n"
        "http://a.example/one/index.html\ttea,coffee\tsite\tcontent\n"
        "http://a.example/two\ttea\tkeyword\thub\r\n"
        "http://b.example/\ttea\tsite\tcontent\n",
        encoding="utf-8",
    )
    labels = read_labels([file], recorded(WEB))
    assert labels.topics == {"tea": {1, 2}, "coffee": {1}}
    assert labels.content == {1}
    assert (labels.pages, labels.elsewhere) == (3, 1)


def test_a_topic_without_labelled_pages_is_refused_and_the_others_named(
    recorded: Callable[..., RecordedPages], tmp_path: Path
) -> None:
    file = tmp_path / "labels.tsv"
    file.write_text("http://a.example/\ttea\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match=r"'wine'.*tea"):
        read_labels([file], recorded(WEB)).of("wine")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"http://a.example/\n", "line 1: "),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"http://b.example/\ttea\n", "labels.tsv: "),
        (b"", "labels.tsv: "),
    ],
)
def test_a_file_that_is_no_labels_is_one_clear_line(
    text: bytes, fault: str, recorded: Callable[..., RecordedPages], tmp_path: Path
) -> None:
    file = tmp_path / "labels.tsv"
    file.write_bytes(text)
    with pytest.raises(ArgumentError, match=fault):
        read_labels([file], recorded(WEB))
