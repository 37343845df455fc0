"""The samples of naive Bayes as published, and the command that counts them."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.published import Counts, PublishedBayes, load
from topiccrawler.relevance.training.published import evenly
from topiccrawler.relevance.training.train import Plan, Sample, fit
from topiccrawler.topics.topic import make_topic


def samples(**sizes: int) -> list[Sample]:
    return [
        Sample(PageWords(title=[f"{label}{n}"], body=[label]), label == "tea", label)
        for label, size in sizes.items()
        for n in range(size)
    ]


def test_as_many_others_as_of_the_topic_evenly_over_their_labels() -> None:
    """Ten of tea, so ten of others: two of the label that has no more, four each of those with plenty."""
    chosen = evenly(samples(auto=50, tea=10, art=2, food=50))
    assert Counter(one.label for one in chosen) == {"tea": 10, "art": 2, "auto": 4, "food": 4}
    assert chosen == evenly(samples(auto=50, tea=10, art=2, food=50))
    assert chosen != evenly(samples(auto=50, tea=10, art=2, food=50), seed=1)
    assert Counter(one.label for one in evenly(samples(tea=5, art=2))) == {"tea": 5, "art": 2}


def test_every_word_of_the_samples_is_in_the_vocabulary_however_rare() -> None:
    topic = make_topic({"name": "tea", "keywords": {"绿茶": 1.0}}, "test")
    found = fit(Plan("naive_bayes:published=true", topic, samples(tea=3, art=3), {}, most_words=2))
    assert isinstance(found, PublishedBayes)
    every = {"tea0", "tea1", "tea2", "art0", "art1", "art2", "tea", "art"}
    assert found.counts.words.keys() == every
    assert found.counts.words["tea"] == (0, 3)
    assert found.counts.samples == (3, 3)


def test_the_command_counts_pages_and_one_anchor_of_each_target(
    tmp_path: Path, forked_scrapy: Callable[..., Any]
) -> None:
    documents, links = tmp_path / "d.jsonl", tmp_path / "l.jsonl"
    labels = (("tea", "绿茶"), ("art", "油画"))
    rows = [{"label": label, "title": word, "text": word * 2} for label, word in labels]
    documents.write_text("\n".join(json.dumps(row) for row in rows * 20), encoding="utf-8")
    met = [
        ("http://t/1", "普洱", 1, "dom"),
        ("http://t/1", "乌龙", 1, "dom"),
        ("http://a/1", "素描的", 0, "window"),
    ]
    found = [dict(zip(("url", "anchor", "label", "context"), one, strict=True)) for one in met]
    links.write_text("\n".join(map(json.dumps, found)), encoding="utf-8")
    topic = tmp_path / "tea.toml"
    topic.write_text('name = "tea"\nkeywords = { "绿茶" = 1.0 }\n', encoding="utf-8")
    arguments = ["--documents", str(documents), "--links", str(links), "--out", str(tmp_path)]
    ran = forked_scrapy("train", str(topic), "--page-classifier", "naive_bayes:published=true", *arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "tea.published.json" in ran.out
    parts = load(tmp_path / "page_classifiers" / "tea.published.json")
    assert parts["pages"] == Counts((20, 20), {"油画": (60, 0), "绿茶": (0, 60)})
    assert parts["anchors"] == Counts((1, 1), {"普洱": (0, 1), "素描": (1, 0)})
