"""The demo's crawls are real ones: what the server saw is what a polite crawler asks for."""

from errno import ENOTDIR
from os import strerror
from pathlib import Path

import pytest
from forked_scrapy import ForkedScrapy

from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.lab.demo import crawls
from topiccrawler.lab.demo.crawls import DemoFiles, crawl
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer


@pytest.fixture(autouse=True)
def warm(forked_scrapy: ForkedScrapy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its crawls need no second to start."""
    monkeypatch.setattr(crawls, "start_scrapy", forked_scrapy.start)


def test_a_crawl_that_fails_ends_in_one_line_that_names_its_log(web: Web, tmp_path: Path) -> None:
    files = DemoFiles(tmp_path)
    files.make_ready([], ())
    with RunningServer(web) as server, pytest.raises(CrawlerError) as failure:
        crawl(files, "no_such_strategy", 10, server, lambda _: None)
    assert "\n" not in str(failure.value)
    assert "no_such_strategy" in str(failure.value)
    assert str(files.log("no_such_strategy")) in str(failure.value)


def test_an_earlier_demo_is_replaced_and_anything_else_left_alone(tmp_path: Path) -> None:
    files = DemoFiles(tmp_path / "demo")
    files.make_ready(["http://a.example/"], ("naive_bayes",))
    files.job("naive_bayes").mkdir()
    (files.job("naive_bayes") / "job.sqlite").write_text("old", encoding="utf-8")
    (files.folder / "notes.txt").write_text("mine", encoding="utf-8")
    files.make_ready(["http://b.example/"], ("naive_bayes",))
    assert list(files.job("naive_bayes").iterdir()) == []
    assert files.seeds.read_text(encoding="utf-8") == "http://b.example/\n"
    assert (files.folder / "notes.txt").read_text(encoding="utf-8") == "mine"

    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ArgumentError, match="--out"):
        DemoFiles(other).make_ready([], ())
    assert [file.name for file in other.iterdir()] == ["thesis.txt"]


def test_a_folder_that_cannot_be_made_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ArgumentError, match=f"--out.*{strerror(ENOTDIR)}"):
        DemoFiles(tmp_path / "file" / "demo").make_ready([], ())
