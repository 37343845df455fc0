"""Page cases: a folder each, with the bytes, how they came, and what must be read from them (only the keys given)."""

import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.links.extract import extract
from topiccrawler.model import Link, Via
from topiccrawler.pages.read import MOST_BYTES, PageWords, Reader, Reading

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())


class CountingJudge:
    """Relevance = share of body words that are 股票; keeps what it was shown."""

    threshold = similarity_threshold = 0.5
    reads_segments = False

    def __init__(self) -> None:
        self.shown: list[PageWords] = []

    def relevance(self, words: PageWords) -> float:
        self.shown.append(words)
        return list(words.body).count("股票") / max(1, len(words.body))

    def similarity(self, words: PageWords) -> float:
        return list(words.body).count("股票") / 10


def observed(reading: Reading, links: list[Link]) -> dict[str, object]:
    document = reading.document
    return {
        "encoding": reading.encoding,
        "title": reading.page.title,
        "text": document.text,
        "main_text": reading.main_text.split("\n") if reading.main_text else [],
        "headings": document.headings,
        "emphasis": document.emphasis,
        "metas": document.metas,
        "lang": document.lang,
        "canonical": document.canonical_href,
        "links": [[link.url, link.anchor, link.before, link.after] for link in links],
        "urls": [link.url for link in links],
        "anchors": [link.anchor for link in links],
        "kinds": [link.kind for link in links],
        "regions": [link.region for link in links],
        "paths": [link.path for link in links],
        "above": [link.heading for link in links],
        "nofollow": [link.nofollow for link in links],
    }


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_page_case_is_read_as_its_folder_says(folder: Path) -> None:
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    reading = Reader(CountingJudge()).read(
        meta["url"], (folder / "input.html").read_bytes(), meta["declared"]
    )
    links = extract(reading.document, meta["url"], depth=1, encoding=reading.encoding)
    seen = observed(reading, links)
    assert {key: seen[key] for key in expected} == expected


def test_relevance_target_and_terms_come_from_the_words_of_the_page() -> None:
    page_classifier = CountingJudge()
    body = "<title>股票入门</title><p>股票！</p><p>股票 stock</p>".encode()
    via = Via(Link("http://a.test/", "a.test"), 0.5)
    page = Reader(page_classifier).read("http://a.test/x", body, depth=3, seconds=0.25, via=via).page
    assert (page.url, page.depth, page.seconds, page.via) == ("http://a.test/x", 3, 0.25, via)
    assert page.title == "股票入门"
    assert page.relevance == pytest.approx(2 / 3)
    assert page.similarity == pytest.approx(2 / 10)
    assert page.is_target
    assert dict(page.terms) == {"股票": 3, "入门": 1, "stock": 1}


def test_the_page_classifier_sees_each_field_apart_and_all_text_of_a_page_without_main_text() -> None:
    page_classifier = CountingJudge()
    html = (
        "<title>行情</title><meta name=keywords content=基金><meta name=description content=理财>"
        "<h2>债券 市场</h2><p><b>黄金</b><a href=/>首页</a></p>"
    )
    reading = Reader(page_classifier).read("http://a.test/", html.encode(), "utf-8")
    assert reading.main_text == ""
    (words,) = page_classifier.shown
    assert words == reading.words
    assert list(words.title) == ["行情"]
    assert list(words.headings) == ["债券", "市场"]
    assert list(words.emphasis) == ["黄金"]
    assert list(words.meta) == ["基金", "理财"]
    assert list(words.body) == ["债券", "市场", "黄金", "首页"]


def test_the_page_classifier_sees_the_main_text_alone_where_there_is_one() -> None:
    text = "基金经理认为，今年的市场会慢慢好起来，但是风险还在，我们要有耐心。"
    html = f"<div class=nav><a href=/>首页</a></div><div class=artibody><p>{text}</p><p>{text}</p><p>{text}</p></div>"
    reading = Reader(CountingJudge()).read("http://a.test/", html.encode(), "utf-8")
    assert reading.main_text == "\n".join([text] * 3)
    assert "首页" not in reading.words.body
    assert "首页" in reading.document.text


def test_a_body_past_the_limit_is_cut_not_refused() -> None:
    body = b"<p>" + "股票 ".encode() * (MOST_BYTES // 7) + b"</p><a href=/late>x</a>" + b" " * MOST_BYTES
    reading = Reader(CountingJudge()).read("http://a.test/", body, "utf-8")
    assert reading.page.relevance == 1.0
    assert extract(reading.document, "http://a.test/", depth=1) == []


MARKUP = (
    "<a href=x> </a> <p> </p> <table> <tr> <td> </table> <b> <h1> </h1> <form> <select> <option> <svg> <math> <template> "
    "</template> <iframe> <!-- --> <html> </body> <frameset> 字 | &amp; \x00 \ud800"
)
PIECES = st.lists(
    st.sampled_from([*MARKUP.split(), " ", "<iframe src=y>", "<area href=z>", "<base href=//[>"]), max_size=40
)


@given(PIECES, st.sampled_from(["window", "neighbour", "dom"]))
def test_no_markup_makes_reading_raise_and_offsets_stay_in_order(
    pieces: list[str], context: Literal["window", "neighbour", "dom"]
) -> None:
    body = "".join(pieces).encode("utf-8", "surrogatepass")
    document = Reader(CountingJudge()).read("http://a.test/", body).document
    assert "||" not in document.text
    starts = [run[0] for run in document.runs]
    assert starts == sorted(starts)
    for anchor in document.anchors:
        assert 1 <= anchor.start <= anchor.end
        assert document.text[anchor.start - 1] == "|"
    for link in extract(document, "http://a.test/", depth=1, context=context):
        assert link.url.startswith("http")
