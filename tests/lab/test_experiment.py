"""A whole comparison, worked by hand. Fetched from the home page; `*` = about tea by label, and by its words.

    home ─> news ─> rain        breadth-first: home news hub rain paper green*   -> 0 0 0 0 0 1, area 1
      │       └───> paper       best-first:    home news hub green* black* rain  -> 0 0 0 1 2 2, area 5
      └──> hub ──> green*       oracle:        home hub green* black* news rain  -> 0 0 1 2 2 2, area 7
             └───> black*

green is linked by its alias /green (-> /green/) and by https; one link leads out of the recording; paper is no HTML.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import ModelError
from topiccrawler.lab.experiment import Comparison, Plan, compare
from topiccrawler.lab.measures import oracle_ratio
from topiccrawler.lab.parsed_pages import no_bar
from topiccrawler.topics.seeds import Seeds

pytestmark = pytest.mark.slow

A = "http://a.example"
TEA = "茶叶绿茶，" * 30
WEB = {
    f"{A}/": "<title>首页</title><a href=/news/>新闻</a> <a href=/hub/>栏目</a> <a href=http://b.example/>别处</a>",
    f"{A}/news/": "<title>新闻</title><a href=/rain/>天气</a> <a href=/paper.pdf>文件</a>",
    f"{A}/hub/": f"<title>茶叶</title><p>{TEA}</p><a href=/green>绿茶</a> <a href=https://a.example/green/>又</a> "
    "<a href=/black/>红茶</a>",
    f"{A}/rain/": "<title>下雨</title>今天下雨",
    f"{A}/green/": f"<title>绿茶</title><p>{TEA}</p>",
    f"{A}/black/": f"<title>茶叶</title><p>{TEA}</p>",
    f"{A}/paper.pdf": ("200 OK", {"Content-Type": "image/png"}, "no page"),
}
ORDER = {"home": 0, "news": 1, "hub": 2, "rain": 3, "green": 4, "black": 5, "paper": 6}
LABELS = f"{A}/green\ttea\tsite\tcontent\n{A}/black/\ttea\tsite\thub\n"


@pytest.fixture
def plan(record: Callable[..., Path], tea: Path, tmp_path: Path) -> Plan:
    labels = tmp_path / "labels.tsv"
    labels.write_text(LABELS, encoding="utf-8")
    return Plan(
        web=(record(WEB),),
        labels=(labels,),
        recipes=(Recipe(str(tea), prune=False),),
        seeds=(Seeds([f"{A}/"], []),),
        specs=("breadth_first", "best_first"),
        pages=6,
        concurrency=1,
    )


def run(plan: Plan, folder: Path) -> Comparison:
    return compare(plan, folder, no_bar)


def names(order: list[int]) -> list[str]:
    return [name for number in order for name, place in ORDER.items() if place == number]


def test_the_crawls_are_those_worked_by_hand(plan: Plan, tmp_path: Path) -> None:
    outcome = run(plan, tmp_path).outcomes[0]
    assert names(outcome.crawls["breadth_first"][0].order) == [
        "home",
        "news",
        "hub",
        "rain",
        "paper",
        "green",
    ]
    assert names(outcome.oracle_order) == ["home", "hub", "green", "black", "news", "rain"]
    assert names(outcome.crawls["best_first"][0].order) == ["home", "news", "hub", "green", "black", "rain"]


def test_what_is_under_way_when_a_page_is_read_cannot_be_ordered_by_it(plan: Plan, tmp_path: Path) -> None:
    """With two under way rain, leased when news was read, goes before green, which hub leads to."""
    outcome = run(replace(plan, concurrency=2), tmp_path).outcomes[0]
    assert names(outcome.crawls["best_first"][0].order) == ["home", "news", "hub", "rain", "green", "black"]


def test_measures_come_from_the_labels_and_not_from_the_page_classifier(plan: Plan, tmp_path: Path) -> None:
    outcome = run(plan, tmp_path).outcomes[0]
    best = outcome.best
    assert best.counts == (0, 0, 1, 2, 2, 2)
    assert outcome.scored["breadth_first"][0].curve.counts == (0, 0, 0, 0, 0, 1)
    assert outcome.scored["best_first"][0].curve.counts == (0, 0, 0, 1, 2, 2)
    assert oracle_ratio(outcome.scored["best_first"][0].curve, best, 6) == 5 / 7
    assert outcome.scored["best_first"][0].content.counts == (0, 0, 0, 1, 1, 1)
    assert outcome.truth.source == "labels"
    assert (outcome.truth.targets, outcome.truth.content_targets, len(outcome.truth.reachable)) == (2, 1, 7)


def test_without_labels_the_page_classifier_is_the_truth(plan: Plan, tmp_path: Path) -> None:
    outcome = run(replace(plan, labels=()), tmp_path).outcomes[0]
    assert outcome.truth.source == "judge"
    assert outcome.truth.relevant == {ORDER["hub"], ORDER["green"], ORDER["black"]}
    assert outcome.truth.content == frozenset()


def test_two_processes_find_what_one_finds(plan: Plan, tmp_path: Path) -> None:
    one, two = run(plan, tmp_path).outcomes[0], run(replace(plan, jobs=2), tmp_path).outcomes[0]
    assert {name: crawls[0].order for name, crawls in one.crawls.items()} == {
        name: crawls[0].order for name, crawls in two.crawls.items()
    }
    assert list(one.crawls) == list(two.crawls) == ["breadth_first", "best_first"]
    assert one.oracle_order == two.oracle_order


def test_a_strategy_that_cannot_be_built_stops_all_unless_nobody_named_it(plan: Plan, tmp_path: Path) -> None:
    specs = ("breadth_first", "naive_bayes")
    (tmp_path / "models").mkdir()  # and no link model in it
    plan = replace(plan, recipes=(replace(plan.recipes[0], link_models=str(tmp_path / "models")),))
    with pytest.raises(ModelError, match="tea"):
        run(replace(plan, specs=specs), tmp_path)
    outcome = run(replace(plan, specs=specs, forgiving=("naive_bayes",)), tmp_path).outcomes[0]
    assert list(outcome.crawls) == ["breadth_first"]
    assert list(outcome.built.absent) == ["naive_bayes"]
    assert "tea" in outcome.built.absent["naive_bayes"]


def test_one_page_at_a_time_only_strategies_that_draw_lots_are_repeated(plan: Plan, tmp_path: Path) -> None:
    outcome = run(replace(plan, specs=("breadth_first", "random_order"), repeat=4), tmp_path).outcomes[0]
    assert len(outcome.crawls["breadth_first"]) == 1
    orders = [crawled.order for crawled in outcome.crawls["random_order"]]
    assert len(orders) == 4
    assert len(set(map(tuple, orders))) > 1


def test_pruning_drops_links_only_when_asked_for_and_only_in_strategies_that_prune(
    plan: Plan, tmp_path: Path
) -> None:
    strict = replace(plan.recipes[0], prune=True, link_threshold=0.999999)
    specs = ("breadth_first", "naive_bayes")
    pruned = run(replace(plan, specs=specs, recipes=(strict,)), tmp_path).outcomes[0].crawls
    assert [crawls[0].refused for crawls in pruned.values()] == [0, 2]
    assert names(pruned["naive_bayes"][0].order) == [
        "home"
    ]  # a seed has no link text, so nothing speaks against it
    assert len(pruned["breadth_first"][0].order) == 6
    lax = replace(plan.recipes[0], link_threshold=0.999999)
    crawls = run(replace(plan, specs=specs, recipes=(lax,)), tmp_path).outcomes[0].crawls
    assert [found[0].refused for found in crawls.values()] == [0, 0]
