"""The contract of the two word engines, seen through the classifier: the same link, the same score, to the last bit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.link_model.classifier import LinkClassifier, words_of_links
from topiccrawler.link_model.model_file import load_model
from topiccrawler.model import Link
from topiccrawler.text.engines import Cut, jieba_cut, rjieba_cut
from topiccrawler.text.segmenter import Segmenter, choose_engine, cut_all

pytestmark = pytest.mark.slow

EVERY = (
    8  # of the shared links; jieba needs a minute for all, and test_segment compares its words on all of them
)
A_PAGE = 500
OWN = [
    Link("http://a.example/", "a.example", "A股首秀：港股缩量回调3.5%", "K线图与B超檢查|", "|IC卡、U盘"),
    Link("http://finance.example/基金/1.html", "finance.example", "基金定投", "理财產品|", "|Ｐｒｏｇｒａｍ"),
    Link("http://b.example/%E8%82%A1%E7%A5%A8", "b.example", "", "㐀㐁 𠀀 々〇|上市公司", "c++11|node.js"),
    Link("http://c.example/", "c.example", "足球比赛直播", "\u0000\ufeff\ud800|", "|\n换行\r银行"),
    Link("http://d.example/", "d.example", "人民银行下调存款准备金率", title="不用的标题"),
]


@cache
def engines() -> tuple[Cut, Cut]:
    """The fast one and the plain one, each with its dictionary read."""
    return rjieba_cut(), jieba_cut()


class By(Segmenter):
    """One engine; nothing is cached."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut

    def words_of_pieces(self, pieces: Iterable[str]) -> dict[str, list[str]]:
        found = list(pieces)
        return dict(zip(found, cut_all(found, self.cut), strict=True))


def scored(links: Sequence[Link], cut: Cut, topic: str) -> list[float]:
    """By the shipped model, every word of link and lexicon cut by one engine."""
    model: LinkClassifier = load_model(topic, segmenter=By(cut))
    remaining = iter(links)
    found: list[float] = []
    while page := list(islice(remaining, A_PAGE)):
        found += model.log_odds_of_words(words_of_links(page, model.segmenter))
    return found


@pytest.mark.parametrize("topic", ["finance", "health", "law"])
def test_both_engines_give_one_score_for_our_own_links(topic: str) -> None:
    fast, plain = (scored(OWN, cut, topic) for cut in engines())
    assert fast == plain
    assert len(set(fast)) == len(OWN)


def test_both_engines_give_one_score_for_the_shared_links_and_headlines(shared: Path) -> None:
    links = [*islice(shared_links(shared), 0, None, EVERY), *shared_headlines(shared)]
    assert len(links) > 30_000
    fast, plain = (scored(links, cut, "finance") for cut in engines())
    assert fast == plain


def shared_links(shared: Path) -> Iterator[Link]:
    with (shared / "links" / "links_dev.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield Link(row["url"], "", row["anchor"], row["left"], row["right"], row["title"])


def shared_headlines(shared: Path) -> Iterator[Link]:
    text = (shared / "links" / "headlines_dev.tsv").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        yield Link("", "", line.split("\t")[2])


def test_rjieba_makes_no_engine_that_nobody_asked_for() -> None:
    """The package makes one when it is imported (24 MB); it still works for who imports it afterwards."""
    program = (
        "import sys; from topiccrawler.text.engines import rjieba_cut; "
        "print(rjieba_cut()('基金定投'), 'rjieba' in sys.modules); import rjieba; print(rjieba.cut('基金'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['基金', '定投'] False", "['基金']"]


def test_the_engine_of_a_process_can_be_chosen_and_changed() -> None:
    """In a process of its own, since the choice is for a whole process."""
    program = (
        "from topiccrawler.text import engines; from topiccrawler.text.segmenter import choose_engine, words; "
        "print(engines.in_use(), words('基金定投')); choose_engine('jieba'); import sys; before = 'jieba' in sys.modules; "
        "print(engines.in_use_with_version(), words('基金定投'), before, 'jieba' in sys.modules, engines.choice())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    cut = "['基金', '定投']"
    assert done.stdout.splitlines() == [f"rjieba {cut}", f"jieba {version('jieba')} {cut} False True jieba"]


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(
        ArgumentError, match=r"^setting TOPIC_SEGMENTER: is 'pkuseg'; it must be one of auto, jieba, rjieba"
    ):
        choose_engine("pkuseg")
