from collections.abc import Callable
from pathlib import Path

from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.replay.warc_writing import Exchange, WarcWriter

WEB = {
    "http://a.example/": "home",
    "http://a.example/list/": "list",
    "http://a.example/old": ("301 Moved", {"Location": "/list"}, ""),
    "http://a.example/gone": ("404 Not Found", {}, "no"),
    "http://a.example/story.html": "story",
    "http://a.example/loop": ("302 Found", {"Location": "/loop"}, ""),
}


def test_an_alias_a_redirect_and_https_are_the_page_they_lead_to(
    recorded: Callable[..., RecordedPages],
) -> None:
    pages = recorded(WEB)
    assert [
        pages.number(url)
        for url in ("http://a.example/list", "http://a.example/old", "https://a.example/list/")
    ] == [1, 1, 1]
    assert pages.number("http://a.example/story") == 2
    assert pages.number_of_any("HTTPS://A.example/list/index.html#top") == 1


def test_what_is_not_recorded_or_did_not_answer_200_is_no_page(
    recorded: Callable[..., RecordedPages],
) -> None:
    pages = recorded(WEB)
    asked = [
        "http://a.example/nothing",
        "http://b.example/",
        "http://a.example/gone",
        "http://a.example/loop",
    ]
    assert [pages.number(url) for url in asked] == [None] * 4
    assert pages.number_of_any("mailto:a@example") is None


def test_a_web_written_by_a_crawl_has_its_copies(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path / "a.warc.gz", 10**6, {})
    for name, body in [("robots.txt", b"User-agent: *"), ("", b"page"), ("copy", b"page")]:
        writer.write(Exchange(f"http://a.example/{name}", 1.0, b"", b"HTTP/1.1 200 OK\r\n\r\n", body, 200))
    writer.close()
    pages = RecordedPages(RecordedWeb([tmp_path / "a.warc.gz"]))
    assert pages.urls == ["http://a.example/robots.txt", "http://a.example/", "http://a.example/copy"]
