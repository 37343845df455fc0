"""The strategy that weighs all features: its scores and its learning, worked by hand."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import adaptive as module
from topiccrawler.strategies.adaptive import FEATURES, Adaptive, PageObservation
from topiccrawler.strategies.base import ROOT, SCORE, Knowledge
from topiccrawler.text.segmenter import folded
from topiccrawler.topics.topic import Topic

SEED = Link("http://s.example/", "s.example")
TOPIC = Topic(name="t", keywords={"基金": 1.0})


class AnchorOdds:
    """A link scorer whose log-odds stand in the anchor."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [float(link.anchor or 0) for link in links]


def begun(**parameters: float | str) -> Adaptive:
    strategy = Adaptive(**parameters)  # type: ignore[arg-type]
    strategy.prepare(Knowledge(topic=TOPIC, link_scorer=AnchorOdds(), similarity_threshold=0.2))
    assert [score.value for score in strategy.visit(ROOT, [SEED])] == [20.0]
    return strategy


def link(url: str, odds: float = 0.0) -> Link:
    return Link(url, url.split("/")[2], anchor=str(odds), path="ul>li", source_url=SEED.url)


def scores(strategy: Adaptive, page: Page, links: Sequence[Link]) -> dict[str, float]:
    return {score.url: score.value for score in strategy.visit(page, links)}


SEED_PAGE = Page(SEED.url, similarity=0.2, is_target=True, via=Via(SEED, 20.0))


def test_a_score_is_the_weighted_sum_of_the_features() -> None:
    strategy = begun()
    found = scores(strategy, SEED_PAGE, [link("http://a.example/", 10.0), link("http://b.example/")])
    # bias -1; link text 1 * 2 tanh(odds / 10); the page stands at its threshold: 0;
    # no group has given a page, so each is as good as the next larger one; site text .3 * one URL's link text / 3
    assert found["http://a.example/"] == pytest.approx(-1 + 2.2 * math.tanh(1))
    assert found["http://b.example/"] == pytest.approx(-1)


def test_an_outcome_moves_the_weights_by_adagrad_and_the_groups_by_one_page() -> None:
    strategy = begun(rate=0.5)
    came = link("http://a.example/1", 10.0)
    before = scores(strategy, SEED_PAGE, [came, link("http://a.example/2", 10.0)])["http://a.example/2"]
    value = 2 * math.tanh(1)
    # site text: two URLs, and two that say nothing
    error = 1 / (1 + math.exp(-(-1 + value + 0.3 * 2 * value / 4))) - 1
    strategy.visit(Page(came.url, similarity=0.5, is_target=True, via=Via(came, before)), [])
    weights = dict(zip(FEATURES, strategy.save()["weights"], strict=True))
    assert weights["bias"] == pytest.approx(-1 - 0.5 * error / math.sqrt(1 + error**2))
    step = 0.5 * error * value / math.sqrt(1 + (error * value) ** 2)
    assert weights["link text"] == pytest.approx(1 - step)
    assert weights["page"] == 1.0  # that feature was 0
    rescored = {score.url: score.value for score in strategy.refresh(())}
    assert list(rescored) == ["http://a.example/2"]
    # its site and the host that links it have given a relevant page
    assert rescored["http://a.example/2"] > before + 1


def test_what_it_took_from_a_page_teaches_it_the_same_again() -> None:
    first, again = begun(), begun()
    came = link("http://a.example/1", 10.0)
    pages = [
        (SEED_PAGE, [came, link("http://b.example/%E5%9F%BA", 3.0), link("http://a.example/1", -4.0)]),
        (Page(came.url, title="基金", similarity=0.5, is_target=True, via=Via(came)), [link(SEED.url, 1.0)]),
        (Page("http://b.example/2", similarity=0.1), []),
    ]
    for page, links in pages:
        first.visit(page, links)
        again.observe(json.loads(json.dumps(first.observation())))
        assert again.save() == first.save()
    assert {**first.save(), "known": None} != {**begun().save(), "known": None}


def test_what_another_process_queued_by_what_it_knew_is_corrected() -> None:
    """It scored by an older state: three too high, two too low, and one about right."""
    wrong = {"http://a.example/1": 3.0, "http://a.example/2": -2.0, "http://a.example/3": 0.01}
    learner = begun()
    links = [link(url) for url in wrong]
    other = begun()
    right = scores(other, SEED_PAGE, links)
    *kept, queued, ended = other.observation() or []
    reported = [score + wrong[url] for (url, _), score in zip(kept[5], queued, strict=True)]
    learner.observe([*kept, reported, ended])
    assert {score.url: score.value for score in learner.refresh(())} == {
        url: right[url] for url, by in wrong.items() if abs(by) > 1
    }


@pytest.mark.parametrize(
    "damaged", [[], ["http://a.example/"], ["http://a.example/", "", 0.5, True, "", [], [1.0]]]
)
def test_what_was_kept_of_a_page_and_is_damaged_is_distinguished_from_what_is_not(
    damaged: list[object],
) -> None:
    with pytest.raises((ValueError, TypeError)):
        begun().observe(damaged)


def test_a_state_of_other_features_is_refused() -> None:
    state = begun().save()
    for count in (2, 10, 13):
        with pytest.raises(ValueError, match=rf"{count} .* 12"):
            begun().load({**state, "weights": [1.0] * count, "squares": [1.0] * count})
    with pytest.raises(ValueError, match="luck"):
        begun().load({**state, "features": ["bias", "luck"]})


def test_shares_of_another_strategy_are_one_share() -> None:
    assert begun().shares(link("http://a.example/1"), 1.5, bytes(4 * 3)) == [(SCORE, 1.5)]


def test_a_site_that_became_unproductive_falls_below_one_that_never_gave_much() -> None:
    def after(keep: float) -> tuple[float, float]:
        strategy = begun(keep=keep, rate=0.0)
        rich = [link(f"http://rich.example/{n}") for n in range(40)]
        poor = [link(f"http://poor.example/{n}") for n in range(40)]
        strategy.visit(SEED_PAGE, [*rich, *poor])
        for n in range(30):
            strategy.visit(Page(rich[n].url, similarity=0.5, is_target=n < 20, via=Via(rich[n])), [])
            strategy.visit(Page(poor[n].url, similarity=0.5, is_target=n % 4 == 0, via=Via(poor[n])), [])
        scored = strategy.current(rich[-1]), strategy.current(poor[-1])
        return scored[0].value, scored[1].value

    rich, poor = after(keep=1.0)
    assert rich > poor
    rich, poor = after(keep=0.8)
    assert rich < poor


def test_shares_add_up_to_the_score_and_name_every_feature() -> None:
    strategy = begun()
    found = link("http://a.example/", 7.0)
    (score,) = strategy.visit(SEED_PAGE, [found])
    shares = strategy.shares(found, score.value, score.shares)
    assert [name for name, _ in shares] == list(FEATURES)
    assert sum(share for _, share in shares) == pytest.approx(score.value, abs=1e-9)
    assert strategy.current(found) == score
    assert strategy.current(link("http://unknown.example/")) is None


def test_with_many_waiting_every_row_is_weighed_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WEIGHED_AT_ONCE", 4)
    strategy = begun(rate=1.0)
    links = [link(f"http://h{n}.example/", 20.0 - 2 * n) for n in range(13)]
    strategy.visit(SEED_PAGE, links)
    strategy.visit(Page(links[0].url, similarity=0.0, is_target=False, via=Via(links[0])), [])
    for _ in range(4):  # 12 waiting rows: all of them every fourth time
        list(strategy.refresh(()))
    rows = strategy.save()["known"]
    assert isinstance(rows, dict)
    again = Adaptive()
    again.load(strategy.save())
    known = again._urls
    waiting = known.waiting_rows()
    weighed = [again.current(link(known.rows.names[row])) for row in waiting]
    assert np.allclose(known.columns["score"][waiting], [score.value for score in weighed if score])


OWN = Topic(name="t", keywords={"高考": 1.0, "Java": 1.0}, given=["高考", "Java"], narrow=True)


class NoOdds:
    """A link scorer to which all links are alike."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [0.0 for _ in links]


def begun_for_own_words() -> Adaptive:
    strategy = Adaptive()
    strategy.prepare(Knowledge(topic=OWN, link_scorer=NoOdds(), similarity_threshold=0.2))
    strategy.visit(ROOT, [SEED])
    return strategy


def named(url: str, anchor: str = "") -> Link:
    return Link(url, url.split("/")[2], anchor=anchor, source_url=SEED.url)


def test_a_page_that_leads_to_pages_named_by_the_users_words_was_worth_fetching() -> None:
    strategy = begun_for_own_words()

    def outcome(*links: Link, similarity: float = 0.0) -> float:
        page = Page("http://a.example/tags", similarity=similarity, is_target=False, via=Via(SEED, 20.0))
        return strategy._outcome(
            PageObservation.of(page, links, [0.0] * len(links)),
            strategy._named(folded([link.anchor for link in links] + [""] * len(links))),
        )

    assert outcome(named("http://a.example/1", "旅游")) == 0.0
    assert outcome(named("http://a.example/1", "旅游"), similarity=0.2) == 0.3  # as similar as a relevant one
    two = named("http://a.example/1", "2024 高考志愿填报"), named("http://a.example/2", "ＪＡＶＡ 入门")
    assert outcome(*two) == pytest.approx(0.7 * 0.75)
    assert outcome(*two, named("http://a.example/3", "JavaScript"), *two) == pytest.approx(0.7 * 0.75)
    scores(strategy, SEED_PAGE, two)
    assert outcome(*two) == 0.0  # both were met before


def test_a_link_that_names_one_of_the_users_words_counts_for_itself() -> None:
    strategy = begun_for_own_words()
    links = [
        named("http://a.example/1", "旅游"),
        named("http://b.example/1", "2024 高考志愿填报"),
        named("http://c.example/JAVA/1", "入门"),
        named("http://d.example/%E9%AB%98%E8%80%83/", "标签"),
        named("http://e.example/javascript/", "入门"),
        named("http://java.example/1", "入门"),
    ]
    found = scores(strategy, SEED_PAGE, links)
    plain = found["http://a.example/1"]
    short = 6 / 36  # 旅游 and 入门 have two characters: a sixth of a title
    gained = [found[link.url] - plain for link in links]
    assert gained == pytest.approx([0.0, 3.0 + short, 1.5 + short, 1.5 + short, 0.0, 0.0])
    again = [named("http://a.example/1", "高考"), named("http://b.example/1", "入门")]
    later = scores(strategy, SEED_PAGE, again)
    # the best of a URL's links, and no longer a title without a name
    assert [value - plain for value in later.values()] == pytest.approx([3.0 + short, 3.0 + short])


def test_a_list_goes_before_a_page_whose_title_names_no_word_of_the_user() -> None:
    strategy = begun_for_own_words()
    links = [
        named("http://a.example/trip/", "埃及跟团十天游之第二十四天"),
        named("http://a.example/about/", "关于"),
        named("http://a.example/tags/%E6%97%85%E8%A1%8C/", "旅行"),
        named("http://a.example/next/", "下一页 »"),
        named("http://a.example/exam/", "埃及归来谈一谈高考志愿填报"),
    ]
    found = scores(strategy, SEED_PAGE, links)
    title, about, tag, pager, exam = (found[link.url] for link in links)
    assert title < about < tag < exam
    assert about - title == pytest.approx(1.0 - 6 / 36)
    assert tag - about == pytest.approx(0.5)
    assert pager - about == pytest.approx(0.5 + (6 - len("下一页 »".encode())) / 36)
    assert exam - title == pytest.approx(3.0 + 1.0)


def test_for_own_words_each_refresh_looks_first_at_the_home_of_one_more_site() -> None:
    strategy = begun_for_own_words()
    links = [
        named("http://a.example/1", "年终总结"),
        named("http://a.example/", "某人的博客"),
        named("http://b.example/", "另一人的博客"),
    ]
    strategy.visit(SEED_PAGE, links)
    before = strategy.current(links[1])
    risen = [score.url for score in strategy.refresh([]) if score.value > 10]
    risen += [score.url for score in strategy.refresh([]) if score.value > 10]
    assert risen == ["http://a.example/", "http://b.example/"]  # one site a refresh, of a site its home
    assert [score for score in strategy.refresh([]) if score.value > 10] == []  # no third site
    first_look = strategy.current(links[1])
    assert first_look.value == pytest.approx(before.value + 20)
    shares = dict(strategy.shares(links[1], first_look.value, first_look.shares))
    assert shares["site"] > 19
    assert sum(shares.values()) == pytest.approx(first_look.value, abs=1e-9)


def test_a_url_that_ended_without_a_page_waits_no_more_and_is_made_up_for_by_another_look() -> None:
    strategy, other = begun_for_own_words(), begun_for_own_words()
    strategy.visit(SEED_PAGE, [named(f"http://{name}.example/", "博客") for name in "abcdefghijklmnop"])
    other.observe(json.loads(json.dumps(strategy.observation())))
    first, *rest = [score.url for score in strategy.refresh([]) if score.value > 10]
    assert len(rest) == 3  # the seed was relevant
    list(other.refresh([]))
    strategy.ended(first)
    strategy.ended("http://unknown.example/")
    strategy.visit(Page("http://s.example/2", via=Via(SEED, 20.0)), [])
    assert strategy.current(link(first)) is None
    risen = [score.url for score in strategy.refresh([]) if score.value > 10]
    assert len(risen) == 4 + 1
    assert not {first, *rest} & {*risen}
    other.observe(json.loads(json.dumps(strategy.observation())))
    list(other.refresh([]))
    assert other.save() == strategy.save()  # another process, or a resumed crawl, knows it too


def test_a_site_of_many_links_that_never_answers_does_not_keep_the_others_from_a_first_look() -> None:
    strategy = begun_for_own_words()
    strategy.visit(SEED_PAGE, [named(f"http://dead.example/{n}", "高考") for n in range(300)])
    strategy.visit(SEED_PAGE, [named("http://b.example/", "另一人的博客")])
    chosen = [score.url for _ in range(2) for score in strategy.refresh([]) if score.value > 10]
    assert len(chosen) == 2
    assert chosen[0].startswith("http://dead.example/")
    assert chosen[1] == "http://b.example/"
