"""Labelled links come from the training part alone, their labels agree with the truth, and `scrapy crawl` loads the model."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from topiccrawler.lab.demo.crawls import DemoFiles, collect, topic_toml, train_on
from topiccrawler.lab.demo.plan import TRAIN, Web
from topiccrawler.lab.demo.server import RunningServer
from topiccrawler.link_model.model_file import load_model
from topiccrawler.link_model.training.address_labels import label
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import Topic, read_topic

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def topic() -> Topic:
    return read_topic(topic_toml(), "demo.toml")


@pytest.fixture(scope="module")
def server(web: Web) -> Iterator[RunningServer]:
    with RunningServer(web) as running:
        yield running


@pytest.fixture(scope="module")
def collected(web: Web, server: RunningServer, topic: Topic) -> list[list[Link]]:
    reader = Reader(VsmClassifier(topic))
    return list(collect(web, server.address, reader, 120))


def test_it_reads_so_many_pages_of_the_training_hosts_each_once(
    web: Web, collected: list[list[Link]], server: RunningServer
) -> None:
    assert len(collected) == 120
    asked = server.requests
    assert {request.host for request in asked} <= set(web.hosts(TRAIN))
    assert len({request.url for request in asked}) == len(asked)
    assert asked[0].url == "http://mulu.example/"


def test_labels_agree_with_the_truth_wherever_a_page_has_a_topic(
    web: Web, collected: list[list[Link]], topic: Topic
) -> None:
    labels = [(web.truth(link.url), label(link.url, topic)) for links in collected for link in links]
    with_topic = [
        (truth, value) for truth, value in labels if truth not in {None, "mixed"} and value is not None
    ]
    assert len(with_topic) > 1_000
    assert {value for _, value in with_topic} == {0, 1}
    wrong = [pair for pair in with_topic if (pair[0] == "finance") != bool(pair[1])]
    assert len(wrong) < 0.03 * len(with_topic)


def test_training_writes_links_and_a_model_that_separates_finance_from_other_topics(
    web: Web, tmp_path: Path
) -> None:
    files = DemoFiles(tmp_path / "demo")
    files.make_ready(web.seeds, ())
    ticks: list[int] = []
    with RunningServer(web) as server:
        lesson = train_on(web, files, server.address, 200, ticks.append)
    assert ticks == list(range(1, 201))
    rows = [json.loads(text) for text in files.links.read_text(encoding="utf-8").splitlines()]
    assert (lesson.pages, lesson.links, lesson.positive) == (
        200,
        len(rows),
        sum(row["label"] for row in rows),
    )
    assert {row["context"] for row in rows} == {"window"}
    assert math.isnan(lesson.f1) or 0.0 <= lesson.f1 <= 1.0
    model = load_model("finance", files.models)
    texts = ("央行降息，股票板块震荡走高", "火锅蘸料的做法", "球队客场告负")
    finance, food, sport = model.log_odds(
        [Link(url="http://x.example/1.html", host="x.example", anchor=t) for t in texts]
    )
    assert finance > 0 > max(food, sport)
