"""Learning upon a scorer: worked by hand, forgotten with time, bounded, and the same after a restart."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topiccrawler.links.columns import packed
from topiccrawler.model import Link
from topiccrawler.strategies.learning import WORDS_MOST, WORDS_SCALE, WORTH, LinkLearner
from topiccrawler.strategies.numbering import Numbering, label_of


class Flat:
    """A scorer that says the same of every link."""

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [self.value for _ in links]


def link(anchor: str, before: str = "", url: str = "http://a.example/1") -> Link:
    return Link(url, "a.example", anchor, before=before, source_url="http://a.example/")


def score(learner: LinkLearner, anchor: str, url: str = "", host: str = "") -> float:
    return learner.log_odds([Link(url, host, anchor)])[0]


def fields_of(learner: LinkLearner) -> dict[str, list[str]]:
    """The words it counts, by field."""
    kept = learner.save()["words"]
    return {name: list(Numbering.load(words["words"]))[1:] for name, words in kept.items()}


def learned(words: float) -> float:
    """What learned words of these log-odds add to a score."""
    return WORTH * WORDS_MOST * math.tanh(words / WORDS_SCALE)


@pytest.mark.parametrize(
    ("relevance", "threshold", "label"),
    [(0.2, 0.2, 0.5), (0.4, 0.2, 0.8), (0.1, 0.2, 0.2), (0.0, 0.2, 0.0), (0.3, 0.0, 1.0), (0.0, 0.0, 0.0)],
)
def test_a_page_is_half_relevant_at_the_threshold(relevance: float, threshold: float, label: float) -> None:
    assert label_of(relevance, threshold) == pytest.approx(label)


def test_one_link_to_each_class_gives_the_log_odds_worked_by_hand() -> None:
    """
    Without decay: anchors 基金 (+), 足球 (-). p = (1 + 1) / (2 + 2) = 1/2, m = 2.
    基金: ln (1 + 2/2) / (0 + 2/2) - ln 1 = ln 2; 足球: -ln 2; a word never met: 0.
    """
    learner = LinkLearner(Flat(), half_life_pages=0)
    learner.learn(link("基金"), 1.0)
    learner.learn(link("足球"), 0.0)
    assert [score(learner, anchor) for anchor in ("基金", "足球", "天气")] == pytest.approx(
        [learned(math.log(2)), learned(-math.log(2)), 0.0]
    )


def test_where_most_pages_are_off_topic_one_more_of_them_says_little() -> None:
    """
    5 pages off topic without the word, then one with it, and one relevant: p = 2 / (7 + 2) = 2/9.
    足球: ln (0 + 4/9) / (1 + 14/9) - ln (2/9) / (7/9) = ln (4/23) + ln (7/2) = ln (14/23).
    """
    learner = LinkLearner(Flat(), half_life_pages=0)
    for number in range(5):
        learner.learn(link(f"新闻{'甲乙丙丁戊'[number]}"), 0.0)
    learner.learn(link("基金"), 1.0)
    learner.learn(link("足球"), 0.0)
    assert score(learner, "足球") == pytest.approx(learned(math.log(14 / 23)))


def test_where_nothing_relevant_was_met_the_least_off_topic_is_not_followed() -> None:
    """
    40 pages off topic, then 4 of label 0.1: p would be 1.4 / 46, and is a fifth.
    足球: ln (0.4 + 0.4) / (3.6 + 1.6) - ln 1/4 = ln (8/13), below 0; with p = 1.4 / 46 it were +0.97.
    """
    learner = LinkLearner(Flat(), half_life_pages=0)
    for _ in range(40):
        learner.learn(link("新闻"), 0.0)
    for _ in range(4):
        learner.learn(link("足球"), 0.1)
    assert score(learner, "足球") == pytest.approx(learned(math.log(8 / 13)))


def test_a_page_half_a_life_ago_counts_half() -> None:
    """
    Weight of a page doubles: one of each class before all has 1, 基金 + has 2, 足球 - has 4; smoothing 2·4,
    p = (1 + 2) / (2 + 2 + 4) = 3/8.
    """
    learner = LinkLearner(Flat(), half_life_pages=1)
    learner.learn(link("基金"), 1.0)
    learner.learn(link("足球"), 0.0)
    odds = (2 + 8 * 3 / 8) / (0 + 8 * 5 / 8) / (3 / 5)
    assert score(learner, "基金") == pytest.approx(learned(math.log(odds)))


def test_the_title_of_a_page_teaches_as_an_anchor_does() -> None:
    learner = LinkLearner(Flat(), half_life_pages=0)
    learner.learn(link("更多"), 1.0, "养老基金")
    learner.learn(link("更多"), 0.0, "足球新闻")
    assert score(learner, "基金") > 0.3
    assert score(learner, "足球") < -0.3
    assert score(learner, "更多") == pytest.approx(0.0)


def test_a_seed_teaches_by_its_title_and_its_site() -> None:
    learner = LinkLearner(Flat(), half_life_pages=0)
    learner.learn(Link("http://bank.com.cn/", "bank.com.cn"), 1.0, "理财基金")
    assert learner.pages == 1
    assert fields_of(learner) == {"anchor": ["理财", "基金"], "context": [], "url": []}
    assert score(learner, "更多", "http://www.bank.com.cn/x", "www.bank.com.cn") > 0


def test_the_scorer_below_is_bounded_and_can_be_unlearned() -> None:
    learner = LinkLearner(Flat(30.0), half_life_pages=0)
    assert score(learner, "基金") == pytest.approx(10.0, abs=0.1)
    for number in range(40):
        learner.learn(link("足球" if number % 2 else "基金"), float(number % 2))
    assert score(learner, "基金") < score(learner, "天气") < score(learner, "足球")


def test_a_site_that_disappoints_goes_behind_one_nobody_has_seen_whatever_its_words_promise() -> None:
    learner = LinkLearner(Flat(30.0))
    for number in range(6):
        learner.learn(link("基金", url=f"http://a.example/{number}"), 0.0)
        learner.learn(Link(f"http://b.example/{number}", "b.example", "更多", source_url="x"), 1.0)
    stale, other, good = (
        score(learner, "基金", f"http://{host}/new", host) for host in ("a.example", "c.example", "b.example")
    )
    assert stale < 0 < other < good


def test_shares_of_an_explanation_add_up_to_the_score() -> None:
    learner = LinkLearner(Flat(1.5))
    for number in range(6):
        learner.learn(link("基金定投", "理财频道"), 1.0, "基金")
        learner.learn(link("足球新闻", f"体育新闻{number}", "http://a.example/sport/x"), 0.1)
    asked = link("足球基金", "理财", "http://a.example/sport/y")
    shares = learner.explain(asked)
    assert sum(share for _, share in shares) == pytest.approx(learner.log_odds([asked])[0])
    assert [name for name, _ in shares] == [
        "learned anchor:基金",
        "learned anchor:足球",
        "model",
        "learned context:理财",
        "learned url:sport",
        "learned source page",
        "learned site:a.example",
        "learned url:example",
    ]
    assert shares == sorted(shares, key=lambda share: (-abs(share[1]), share[0]))


def test_words_met_least_are_forgotten_when_there_are_too_many() -> None:
    learner = LinkLearner(Flat(), most_words=10)
    for _ in range(30):
        learner.learn(link("基金", url="http://a.example/"), 1.0)
    for number in range(200):
        name = chr(ord("a") + number % 26) + chr(ord("a") + number // 26)
        learner.learn(link(f"{name}x{name}y", url="http://a.example/"), 0.0)
        assert all(len(words) <= 10 for words in fields_of(learner).values())
    assert "基金" in fields_of(learner)["anchor"]


def test_a_learner_that_was_saved_goes_on_as_if_it_had_not_been() -> None:
    through, first = LinkLearner(Flat(), half_life_pages=5), LinkLearner(Flat(), half_life_pages=5)
    pages = [(link("基金定投", "理财"), 1.0), (link("足球", "体育"), 0.05), (link("基金净值"), 0.7)] * 20
    for at, (one, label) in enumerate(pages):
        through.learn(one, label, "标题")
        if at == 30:
            state = json.loads(json.dumps(first.save(), allow_nan=False))
            first = LinkLearner(Flat(), half_life_pages=5)
            first.load(state)
        first.learn(one, label, "标题")
    assert first.save() == through.save()
    assert score(first, "基金") == score(through, "基金") != 0.0


@pytest.mark.slow
def test_counts_stay_finite_however_long_the_crawl() -> None:
    learner = LinkLearner(Flat(), half_life_pages=1)
    for _ in range(3000):
        learner.learn(link("基金"), 1.0)
        learner.learn(link("足球"), 0.0)
    assert math.isfinite(score(learner, "基金"))
    assert score(learner, "基金") > 0 > score(learner, "足球")


def spoiled(counts: NDArray[np.float64], totals: list[float], weight: float) -> dict[str, Any]:
    """The words of a state that has none."""
    words = {"words": Numbering([""]).save(), "counts": packed(counts), "totals": totals, "weight": weight}
    return dict.fromkeys(("anchor", "context", "url"), words)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("version", 99),
        ("words", {}),
        ("words", spoiled(np.zeros(2), [1.0, 1.0], inf)),
        ("words", spoiled(np.zeros(2), [1.0], 1.0)),
        ("words", spoiled(np.zeros(4), [1.0, 1.0], 1.0)),
        ("words", spoiled(-np.ones(2), [1.0, 1.0], 1.0)),
        ("prior", {"all": [1.0, 2.0], "classes": [[0, 0], [0, 0]], "sites": {}, "hosts": {}, "relevant": []}),
    ],
)
def test_a_damaged_state_is_refused_whole(part: str, value: object) -> None:
    learner = LinkLearner(Flat())
    learner.learn(link("基金"), 1.0)
    before = learner.save()
    with pytest.raises((ValueError, KeyError)):
        learner.load({**before, part: value})
    assert learner.save() == before
