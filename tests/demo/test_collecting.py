"""Labelled links come from the training part alone, and their labels agree with the truth."""

import json
from collections.abc import Iterator

import pytest

from topiccrawler.demo.collecting import ProxyClient, collect, labelled, line
from topiccrawler.demo.plan import Web
from topiccrawler.demo.running import RunningServer
from topiccrawler.demo.sites import TRAIN
from topiccrawler.demo.topic_file import topic_toml
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import Topic, read_topic


@pytest.fixture(scope="module")
def topic() -> Topic:
    return read_topic(topic_toml(), "demo.toml")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with RunningServer(seed=1) as running:
        yield running


@pytest.fixture(scope="module")
def collected(server: RunningServer, topic: Topic) -> tuple[list[Link], list[int]]:
    web, ticks = Web(seed=1), []
    client = ProxyClient(server.address)
    try:
        reader = Reader(VsmClassifier(topic))
        found = list(collect(client, web.train_seeds, web.hosts(TRAIN), reader, 120, ticks.append))
    finally:
        client.close()
    return found, ticks


def test_it_reads_so_many_pages_of_the_training_hosts_each_once(
    collected: tuple[list[Link], list[int]], server: RunningServer
) -> None:
    _, ticks = collected
    assert ticks == list(range(1, 121))
    asked = server.requests()
    assert {request.host for request in asked} <= set(Web(seed=1).hosts(TRAIN))
    assert len({request.url for request in asked}) == len(asked)
    assert asked[0].url == "http://mulu.example/"


def test_labels_agree_with_the_truth_wherever_a_page_has_a_topic(
    collected: tuple[list[Link], list[int]], topic: Topic
) -> None:
    web = Web(seed=1)
    judged = [(web.truth(link.url), value) for link, value in labelled(collected[0], topic)]
    with_topic = [(truth, value) for truth, value in judged if truth not in {None, "mixed"}]
    assert len(with_topic) > 1_000
    assert {value for _, value in with_topic} == {0, 1}
    wrong = [pair for pair in with_topic if (pair[0] == "finance") != bool(pair[1])]
    assert len(wrong) < 0.03 * len(with_topic)


def test_a_line_holds_the_link_its_context_maker_and_its_label() -> None:
    link = Link(url="http://a.example/1", host="a.example", anchor="基金", before="|", after="|股票", depth=2)
    row = json.loads(line(link, 1))
    assert (row["anchor"], row["after"], row["context"], row["label"]) == ("基金", "|股票", "window", 1)
    assert "基金" in line(link, 1)
    assert line(link, 1).endswith("\n")
