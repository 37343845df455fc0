"""A crawl begun from Python: what it is told, and what it refuses."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from message_facts import one_line

from topiccrawler import api, crawl
from topiccrawler.errors import ArgumentError, CrawlerError, TopicError


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines that would be started."""
    lines: list[list[str]] = []
    monkeypatch.setattr(api, "start_scrapy", lambda line, *_: lines.append(line) or object())
    return lines


def pairs(line: list[str], option: str) -> dict[str, str]:
    configured = [line[at + 1] for at, word in enumerate(line) if word == option]
    return dict(pair.split("=", 1) for pair in configured)


def test_values_are_written_as_the_command_line_has_them(started: list[list[str]], tmp_path: Path) -> None:
    folder = tmp_path / "goes on"
    settings = {
        "DOWNLOAD_DELAY": 0.5,
        "TOPIC_RENDERED_HOSTS": ["a.cn", "b.cn"],
        "TOPIC_LISTINGS": False,
        "RETRY_BY": {"a": 1},
    }
    crawl(
        keywords=["基金", "定投:0.5"], seeds=["http://a.cn/?a=1&b=2", "http://b.cn/"], pages=20, data=folder.parent,
        name=folder.name, strategy="best_first", strategy_stages=True, settings=settings,
    )  # fmt: skip
    (line,) = started
    assert line[:2] == ["crawl", "topic"]
    assert pairs(line, "-a") == {
        "keywords": "基金,定投:0.5",
        "seeds": "http://a.cn/?a=1&b=2,http://b.cn/",
        "pages": "20",
        "strategy": "best_first",
        "strategy_stages": "true",
    }
    own = {"TOPIC_DATA_DIR": str(folder.parent), "TOPIC_JOB": folder.name, "JOBDIR": str(folder)}
    configured = {
        "DOWNLOAD_DELAY": "0.5",
        "TOPIC_RENDERED_HOSTS": "a.cn,b.cn",
        "TOPIC_LISTINGS": "false",
        "RETRY_BY": '{"a": 1}',
    }
    assert pairs(line, "-s") == {"LOG_LEVEL": "INFO", **configured, **own}


def test_values_of_numpy_and_pandas_are_written_as_those_of_python(
    started: list[list[str]], tmp_path: Path
) -> None:
    table = pd.DataFrame({"url": ["http://a.cn/", "http://b.cn/"], "pages": [20, 30]})
    crawl("finance", seeds=table["url"], pages=table["pages"].max(), data=tmp_path)
    crawl("finance", seeds=table["url"].to_numpy(), keywords=np.array([], dtype=str), data=tmp_path)
    of_series, of_array = (pairs(line, "-a") for line in started)
    assert of_series == {"topic": "finance", "seeds": "http://a.cn/,http://b.cn/", "pages": "30"}
    assert of_array == {"topic": "finance", "seeds": "http://a.cn/,http://b.cn/"}


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ({}, "argument 'topic': "),
        ({"topic": "finance", "pages": 0}, "argument -a pages=0: .*1"),
        ({"topic": "finance", "page": 3}, "argument -a page=3: .*topic"),
        ({"topic": "finance", "name": "../x"}, "name='../x': "),
        ({"topic": "finance", "settings": {"JOBDIR": "x"}}, "settings: JOBDIR: .*name="),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(
    started: list[list[str]], tmp_path: Path, arguments: dict[str, object], reported: str
) -> None:
    with pytest.raises(ArgumentError, match=one_line(reported)):
        crawl(**{"data": tmp_path, **arguments})
    assert not started
    assert not list(tmp_path.iterdir())


def test_a_topic_that_there_is_none_of_is_refused_before_a_folder_is_made(
    started: list[list[str]], tmp_path: Path
) -> None:
    with pytest.raises(TopicError, match=r"'nope'.* finance "):
        crawl(topic="nope", data=tmp_path)
    assert not started
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_what_only_the_crawl_finds_wrong_is_raised_at_its_end(tmp_path: Path) -> None:
    job = crawl("finance", seeds="missing.txt", data=tmp_path)
    for ended in (lambda: list(job.pages()), job.wait):
        with pytest.raises(CrawlerError, match=r"1: .*missing\.txt.*output\.log"):
            ended()
    assert not job.is_running
    job.stop()
