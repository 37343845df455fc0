"""The same words are the same topic, by whichever way they are given."""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from topiccrawler import api, crawl
from topiccrawler.crawling.job_topic import as_toml
from topiccrawler.spiders.topic import TopicSpider
from topiccrawler.topics.meaning import as_understood
from topiccrawler.topics.topic import Topic


def of_crawl(tmp_path: Path, **arguments: str) -> Topic:
    """The topic of `scrapy crawl topic` with these arguments."""
    settings = Settings()
    settings.setmodule("topiccrawler.settings", priority="project")
    settings.setdict({"TOPIC_DATA_DIR": str(tmp_path / "data")}, priority="cmdline")
    arguments = {"seeds": "http://a.example/", "strategy": "breadth_first", **arguments}
    spider = TopicSpider.from_crawler(Crawler(TopicSpider, settings), **arguments)
    with closing(spider.crawl.files):
        return spider.crawl.topic


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["考研", "高考", "志愿"], "考研 高考 志愿: .* -a topic=education "),
        (["定投:0.5", "基金"], "定投 基金: [^;]*$"),
        (["财经", "股票", "基金"], "财经 股票 基金: .* finance$"),
    ],
)  # fmt: skip
def test_words_mean_the_same_as_an_argument_in_a_file_by_topics_new_and_from_python(
    words: list[str], meant: str, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    argument = ",".join(words)
    first = of_crawl(tmp_path, keywords=argument)
    assert re.match(meant, as_understood(first))

    plain = tmp_path / "plain.toml"
    table = "\n".join(
        f'"{word}" = {weight or 1}' for word, _, weight in (one.partition(":") for one in words)
    )
    plain.write_text(f'name = "plain"\n[keywords]\n{table}\n', encoding="utf-8")
    new = tmp_path / "new.toml"
    assert command("topics", "new", "new", "--keywords", argument, "--out", str(new)).code == 0
    assert len(new.read_text(encoding="utf-8").splitlines()) < 15
    of_job = tmp_path / "topic.toml"  # as the job keeps it
    of_job.write_text(as_toml(first), encoding="utf-8")

    lines: list[list[str]] = []
    monkeypatch.setattr(api, "start_scrapy", lambda line, *_: lines.append(line) or object())
    crawl(keywords=words, seeds="http://a.example/", data=tmp_path / "api")
    options = [value for option, value in zip(lines[0], lines[0][1:], strict=False) if option == "-a"]
    typed = dict(value.split("=", 1) for value in options)

    found = [
        of_crawl(tmp_path, topic=str(plain)),
        of_crawl(tmp_path, topic=str(new)),
        of_crawl(tmp_path, topic=str(of_job)),
        of_crawl(tmp_path, **typed),
    ]
    for topic in found:
        assert (topic.keywords, topic.given) == (first.keywords, first.given)
        assert (topic.narrow, topic.within) == (first.narrow, first.within)
        assert as_understood(topic) == as_understood(first)
