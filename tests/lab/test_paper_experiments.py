"""The papers' experiments by name."""

import argparse
import re
from pathlib import Path

import pytest
from scrapy.settings import Settings

from topiccrawler.errors import ArgumentError
from topiccrawler.lab.configurations import named, strategy_of
from topiccrawler.lab.demo import crawls
from topiccrawler.lab.paper_experiments import (
    EXPERIMENTS,
    fill_in,
    mixed_seeds,
    recorded_synthetic_web,
    with_labels,
)
from topiccrawler.topics.catalogue import load_topic

PAPERS = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


def options(**chosen: object) -> argparse.Namespace:
    nothing = dict.fromkeys(("topic", "strategies", "pages", "step", "concurrency"))
    return argparse.Namespace(**{**nothing, **chosen})


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_names_what_there_is_and_is_named_with_the_papers(name: str) -> None:
    chosen = EXPERIMENTS[name]
    for topic in chosen.topics.split(","):
        assert load_topic(topic).name == topic
    specs = named(chosen.strategies)
    assert len({strategy_of(spec).name for spec in specs}) >= 1
    assert re.search(rf"\b{name}\b", PAPERS)


def test_what_a_user_gives_goes_before_the_papers_values() -> None:
    settings = Settings()
    settings.set("TOPIC_PAGE_CLASSIFIER", "evidence", "project")
    opts = options(experiment="jlse", pages=30, topic=["tea"])
    fill_in(opts, settings)
    assert (opts.topic, opts.pages, opts.step) == (["tea"], 30, 250)
    assert opts.strategies == EXPERIMENTS["jlse"].strategies
    assert settings["TOPIC_PAGE_CLASSIFIER"] == "naive_bayes:published=true"
    settings.set("TOPIC_PAGE_CLASSIFIER", "svm", "cmdline")
    fill_in(opts, settings)
    assert settings["TOPIC_PAGE_CLASSIFIER"] == "svm"


def test_an_unknown_one_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"--experiment x.*skyreach"):
        fill_in(options(experiment="x"), Settings())


def test_without_a_web_the_synthetic_one_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = 3
    original = crawls.record
    monkeypatch.setattr(
        crawls, "record", lambda web, folder: original(web, folder, list(web.of_part("crawl"))[:few])
    )
    warc, labels, seeds = recorded_synthetic_web(tmp_path)
    assert warc.stat().st_size > 0
    assert len(labels.read_text(encoding="utf-8").splitlines()) == 1 + few
    assert seeds == ["http://daohang.example/"]


def test_mixed_seeds_are_hubs_two_of_three_on_topic_and_the_same_each_time(tmp_path: Path) -> None:
    rows = [
        f"http://{kind}{number}.cn/\t{topic}\tplan\t{kind}"
        for kind in ("hub", "content")
        for topic in ("tech,auto", "food")
        for number in range(10 * (topic == "food"), 10 * (topic == "food") + 9)
    ]
    labels = tmp_path / "labels.tsv"
    labels.write_text("#url\ttopics\thow\tkind\n" + "\n".join(rows) + "\n", encoding="utf-8")
    seeds = mixed_seeds([labels], "tech", 6)
    assert len(seeds) == 6
    assert all(url.startswith("http://hub") for url in seeds)
    assert sum(len(url) == len("http://hub1.cn/") for url in seeds) == 4
    assert mixed_seeds([labels], "tech", 6) == seeds


def test_labels_by_hand_are_those_of_the_web_and_without_any_only_the_page_classifiers() -> None:
    configured = EXPERIMENTS["link-model"].strategies
    own = "link_model:linking=0:graded=false:seeds_only=true:negative_most=inf:d=0:most_queued=0:page_words=0"
    labelled = with_labels(configured, ["a/labels.tsv", "b.tsv"]).split(",")
    assert labelled[2:] == [own, f"{own}:labels=a/labels.tsv", "link_model"]
    assert with_labels(configured, []).split(",")[2:] == [own, "link_model"]
