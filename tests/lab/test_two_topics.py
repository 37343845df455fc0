"""Two topics in one process, one with words that the dictionary would cut otherwise: each crawl is as if it were alone.

The dictionary makes 电动车 of 纯电动车; who keeps 纯电动 whole finds no 电动车 there.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.experiment import Plan, compare
from topiccrawler.lab.parsed_pages import no_bar
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.seeds import Seeds

pytestmark = pytest.mark.slow

A = "http://a.example"
SPECS = ("best_first", "naive_bayes", "adaptive", "shark_search", "link_model", "jlse:cf=2")
PURE, VEHICLE = "纯电动车去换电站，" * 30, "电动车的电池，" * 30
PAGES = {
    f"{A}/": "".join(f"<a href=/{at}>{text}</a><br>今天的天气<br>" for at, text in enumerate("甲乙丙丁"))
    + "<a href=/pure>纯电动车</a><br>新闻<br><a href=/swap>换电站</a><br>新闻<br><a href=/vehicle>电动车</a>",
    **{f"{A}/{at}": f"<title>新闻</title>今天的天气<a href=/{at}/more>详情</a>" for at in range(4)},
    **{f"{A}/{at}/more": "<title>新闻</title>明天的天气" for at in range(4)},
    f"{A}/pure": f"<title>纯电动车</title><p>{PURE}</p><a href=/pure/2>纯电动车型</a>",
    f"{A}/pure/2": f"<title>纯电动</title><p>{PURE}</p>",
    f"{A}/swap": f"<title>换电站</title><p>{PURE}</p><a href=/swap/2>去换电站</a>",
    f"{A}/swap/2": f"<title>换电站</title><p>{PURE}</p>",
    f"{A}/vehicle": f"<title>电动车</title><p>{VEHICLE}</p><a href=/vehicle/2>电动车和纯电动车</a>",
    f"{A}/vehicle/2": f"<title>电动车</title><p>{VEHICLE}</p>",
}
TOPIC = """
name = "{name}"
narrow = false
proposed_words = 0
page_threshold = 0.2
[keywords]
{words}
"""
OWN, PLAIN = ("纯电动", "换电站"), ("电动车", "电池")


def topic(folder: Path, name: str, words: Sequence[str]) -> Recipe:
    file = folder / f"{name}.toml"
    file.write_text(TOPIC.format(name=name, words="\n".join(f'"{word}" = 1.0' for word in words)), "utf-8")
    return Recipe(str(file), link_models="none", prune=False)


def compared(web: Path, folder: Path, *recipes: Recipe) -> list[tuple[dict[str, list[int]], set[int]]]:
    """Of each topic the orders of its crawls, and the relevant pages."""
    seeds = tuple(Seeds([f"{A}/"], []) for _ in recipes)
    found = compare(Plan((web,), recipes, seeds, SPECS, concurrency=1), folder, no_bar)
    return [
        ({spec: runs[0].order for spec, runs in one.crawls.items()}, set(one.truth.relevant))
        for one in found.outcomes
    ]


def test_two_topics_of_one_comparison_are_crawled_as_each_alone(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    web = record(PAGES)
    own, plain = topic(tmp_path, "own", OWN), topic(tmp_path, "plain", PLAIN)
    (of_own,), (of_plain,) = (compared(web, tmp_path, one) for one in (own, plain))
    urls = RecordedPages(RecordedWeb([web])).urls
    pure = [f"{A}{path}" for path in ("/", "/pure", "/pure/2", "/swap", "/swap/2")]
    assert [urls[page] for page in sorted(of_own[1])] == pure
    assert [urls[page] for page in sorted(of_plain[1])] == [*pure, f"{A}/vehicle", f"{A}/vehicle/2"]
    assert of_own[0] != of_plain[0]
    assert compared(web, tmp_path, own, plain) == [of_own, of_plain]
    assert compared(web, tmp_path, plain, own) == [of_plain, of_own]


def test_of_a_crawl_for_several_topics_the_segmenter_knows_the_words_of_all(tmp_path: Path) -> None:
    own = topic(tmp_path, "own", OWN)
    parts = assemble(Recipe(f"{own.topic},finance", "adaptive", link_models="none"))
    assert parts.segmenter.own_words == set(OWN)
    reading = parts.reader().read(f"{A}/pure", PAGES[f"{A}/pure"].encode(), "utf-8")
    assert reading.words.title == ["纯电动"]
    assert parts.topic_of_page(reading.words) == "own"
    assert load_topic("finance").segmenter.words("纯电动车") == ["电动车"]
