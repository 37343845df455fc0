"""Training: sources weighed, splits clean, repeatable, and possible from keywords alone."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.errors import ArgumentError, LinksFileError
from topiccrawler.files import sha256_of
from topiccrawler.link_model.classifier import Counts, LinkClassifier, LinkWords
from topiccrawler.link_model.training.promotion import seen
from topiccrawler.link_model.training.samples import Sample, prefix_samples
from topiccrawler.link_model.training.train import (
    GATE_MOST,
    THRESHOLD,
    TrainingRecipe,
    evened,
    gate_threshold,
    train,
)
from topiccrawler.model import Link
from topiccrawler.topics.topic import Topic, make_topic

FINANCE = ["基金", "股票", "债券", "证券", "行情", "银行"]
OTHER = ["足球", "旅游", "酒店", "电影", "明星", "汽车"]


@pytest.fixture
def topic() -> Topic:
    return make_topic({"name": "finance", "zh": "财经", "keywords": {"基金": 1.0, "股票": 0.5}}, "test")


@pytest.fixture
def negative_topic() -> Topic:
    return make_topic({"name": "sport", "zh": "体育", "keywords": ["足球", "股票"]}, "test")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """200 links of ten hosts, 90 headlines, 20 documents, drawn from two word lists."""
    rng = random.Random(3)
    links, headlines, documents = [], ["label\ttext"], []
    for number in range(200):
        words = FINANCE if number % 2 else OTHER
        anchor, left, right = "".join(rng.sample(words, 2)), f"{rng.choice(words)}|", f"|{rng.choice(words)}"
        places = {
            "url": f"http://{'fund' if number % 2 else 'fun'}.example/{number}.html",
            "source_url": f"http://h{number % 20}.example/",
        }
        links.append({**places, "anchor": anchor, "left": left, "right": right, "label": number % 2})
        if number < 90:
            label, own = ("sports", OTHER) if number % 3 else ("finance", FINANCE)
            headlines.append(f"{label}\t{''.join(rng.sample(own, 3))}")
        if number < 20:
            text, label = "，".join(rng.choices(words, k=12)) + "。", "finance" if number % 2 else "travel"
            documents.append({"label": label, "title": rng.choice(words), "text": text * 3})
    return {
        "links": write(tmp_path / "links.jsonl", links),
        "headlines": write(tmp_path / "headlines.tsv", headlines),
        "documents": write(tmp_path / "documents.jsonl", documents),
    }


def write(path: Path, rows: list[Any]) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def scores(recipe: TrainingRecipe) -> list[float]:
    links = [Link("http://a.example/", "a.example", text) for text in ("基金", "足球", "天气")]
    return train(recipe).model.log_odds(links)


def test_all_sources_give_a_model_a_table_and_divergences(
    topic: Topic, negative_topic: Topic, files: dict[str, Path]
) -> None:
    sources = [[files[name]] for name in ("links", "headlines", "documents")]
    trained = train(TrainingRecipe(topic, *sources, negative_topics=[negative_topic]))
    names = ("group 1", "group 2", "pages", "dictionary", "model")
    assert [row.name for row in trained.rows] == [
        *(f"{how}: {what}" for how in ("links", "hosts") for what in names),
        *(f"headlines: {what}" for what in ("words", "+ documents", "model")),
    ]
    assert {row.samples for row in trained.curve} == {trained.rows[9].samples}
    assert trained.curve[-1].name == "140 links of 14 hosts"
    assert trained.curve[-1].f1 == trained.rows[9].f1
    by_name = {row.name: row for row in trained.rows}
    assert by_name["hosts: model"].f1 == by_name["links: group 2"].f1 == 1.0
    assert 0 < by_name["links: dictionary"].recall < 1
    assert list(trained.divergences) == ["pages||links", "links||pages", "pages||pages", "links||links"]
    assert trained.model.training["samples"] == {
        "links": [100, 100], "headlines": [60, 30], "documents": [40, 40], "keywords": [1, 2]
    }  # fmt: skip
    assert trained.model.scores["hosts: model"]["f1"] == 1.0  # type: ignore[index]


def test_a_dictionary_with_lines_that_no_model_file_may_have_is_refused_in_one_line(topic: Topic) -> None:
    recipe = TrainingRecipe(topic, lexicon=["基金", "一行很长的话" * 20])
    with pytest.raises(ArgumentError, match=r"^--lexicon: has an entry of 120 characters, .*; .*\b100\b"):
        train(recipe)
    train(TrainingRecipe(topic, lexicon=["基金", "长" * 100]))


def test_files_of_one_name_in_two_folders_are_both_remembered(
    topic: Topic, files: dict[str, Path], tmp_path: Path
) -> None:
    another = tmp_path / "later" / files["links"].name
    another.parent.mkdir()
    lines = files["links"].read_text(encoding="utf-8").splitlines()
    another.write_text("\n".join(lines[:100]), encoding="utf-8")
    both = [files["links"], another]
    model = train(TrainingRecipe(topic, both)).model
    first, second = map(sha256_of, both)
    assert model.training["files"] == {"links.jsonl": first, "links.jsonl (1)": second}
    assert seen([*both, files["documents"]], both) == both
    twice = train(TrainingRecipe(topic, [both[0], both[0]])).model
    assert twice.training["files"] == {"links.jsonl": sha256_of(both[0])}


@pytest.mark.parametrize("source", ["headlines", "documents"])
def test_texts_alone_are_enough(topic: Topic, files: dict[str, Path], source: str) -> None:
    on, off, unknown = scores(TrainingRecipe(topic, **{source: [files[source]]}))  # type: ignore[arg-type]
    assert on > 1 > -1 > off
    assert unknown == 0.0


def test_headlines_without_a_word_of_the_topic_are_of_other_topics(topic: Topic, tmp_path: Path) -> None:
    headlines = write(tmp_path / "h.tsv", ["label\ttext", *(f"sports\t足球{word}" for word in OTHER)])
    on, off, _ = scores(TrainingRecipe(topic, headlines=[headlines]))
    assert on > 1 > -1 > off


def test_links_of_one_class_only_are_refused(topic: Topic, tmp_path: Path) -> None:
    path = write(tmp_path / "l.jsonl", [{"url": "http://a.example/", "label": 0}])
    with pytest.raises(LinksFileError, match="topic finance"):
        train(TrainingRecipe(topic, [path]))


def sample(anchor: str, positive: bool, host: str, weight: float = 1.0) -> Sample:
    return Sample(LinkWords((anchor,), (), ()), positive, weight, host, ("anchor",))


def test_known_prefixes_speak_for_and_against_an_address(negative_topic: Topic) -> None:
    fields = {"positive": ["eastmoney.com", "news.cn/fortune"], "negative": ["travel.site.com"]}
    topic = make_topic({"name": "finance", "keywords": ["基金"], **fields}, "test")
    other = negative_topic.model_copy(update={"positive": ("hupu.com", "eastmoney.com")})
    found = prefix_samples(topic, [other])
    assert [(item.words.url, item.positive, item.has) for item in found] == [
        (["eastmoney"], True, ("url",)),
        (["news", "fortune"], True, ("url",)),
        (["travel", "site"], False, ("url",)),
        (["hupu"], False, ("url",)),
    ]
    assert prefix_samples(topic.model_copy(update={"negative": ()}), []) == []
    links = [Link(f"http://{host}/", "") for host in ("fund.eastmoney.com", "m.hupu.com", "x.cn")]
    on, off, unknown = train(TrainingRecipe(topic, negative_topics=[negative_topic])).model.log_odds(links)
    assert on > 2
    assert off == unknown == 0.0


def test_an_asked_precision_sets_the_threshold(
    topic: Topic, negative_topic: Topic, files: dict[str, Path]
) -> None:
    links = [json.loads(line) for line in files["links"].read_text(encoding="utf-8").splitlines()]
    for row in links[:60:2]:  # every third link off topic looks as if it were on topic
        row |= {"anchor": "基金股票", "left": "债券", "right": "证券", "url": "http://fund.example/"}
    write(files["links"], links)
    recipe = TrainingRecipe(topic, [files["links"]], negative_topics=[negative_topic])
    assert train(recipe).model.threshold == THRESHOLD
    assert train(replace(recipe, precision=0.9)).model.threshold != THRESHOLD
    with pytest.raises(ArgumentError, match="--links or --headlines"):
        train(TrainingRecipe(topic, negative_topics=[negative_topic], precision=0.9))


def test_the_gate_is_calibrated_on_the_relevant_links_of_hosts_held_out(
    topic: Topic, negative_topic: Topic, files: dict[str, Path]
) -> None:
    recipe = TrainingRecipe(topic, [files["links"]], negative_topics=[negative_topic])
    assert train(recipe).model.gate_threshold == GATE_MOST  # all are far above it


def test_the_gate_lets_in_the_asked_share_by_words_alone_and_all_that_is_not_hopeless() -> None:
    class Reads(LinkClassifier):
        def log_odds_of_words(self, links: Sequence[LinkWords]) -> list[float]:
            return [float(words.anchor[0]) + 100.0 * len(words.url) for words in links]

    held_out = [
        Sample(LinkWords([str(odds)], [], ["fund"]), odds != -8) for odds in (-30, -20, -10, -9, -8, 5)
    ]
    model = Reads("finance", Counts())
    found = [gate_threshold(model, held_out, recall) for recall in (1.0, 0.8, 0.6, 0.2)]
    assert found == [-30.0, -20.0, -10.0, GATE_MOST]


def test_the_larger_class_is_cut_to_the_smaller() -> None:
    found = evened([sample(str(number), number < 5, "h") for number in range(50)], 0)
    assert [sum(item.positive for item in found), len(found)] == [5, 10]
