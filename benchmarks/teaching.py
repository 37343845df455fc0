"""What a few answers of a person give: oracle ratio against the number of answers, by a simulated person who answers as the labels say.

    python benchmarks/teaching.py --web DIR [--answers 0,5,10,20,50] [--runs 2] [--pages 2000] [--pilot 300] [--seeds URL]
        [--topics finance,health] [--out FILE.jsonl]

DIR holds a recorded web (*.warc.gz) and labels.tsv. Each topic is three words and the words proposed for them, without a trained link model;
a pilot crawl of `adaptive` fetches 300 pages; the person is asked about some, five at a time, as `scrapy topics teach` asks; the topic
learns, what waits is rescored as that command does, and the crawl goes on to 2 000. 0 answers: one crawl without a stop. Run 0 has pages
come back in order, the further ones as drawn by their number.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import _checkout  # noqa: F401 first: the package may not be installed
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import assemble, topic_of
from topiccrawler.crawling.checkpoints import can_transfer, relearn, transfer_state
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.cost import Cost
from topiccrawler.lab.labels import read_labels
from topiccrawler.lab.measures import Curve, oracle_ratio
from topiccrawler.lab.oracle import oracle_order
from topiccrawler.lab.page_reading import ReadingPlan, read_web
from topiccrawler.lab.parsed_pages import ParsedPages, Reading
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.replayed import ReplayedCrawl, Run
from topiccrawler.lab.workers import Workers
from topiccrawler.model import Page, Via
from topiccrawler.pages.read import PageWords, Reader
from topiccrawler.relevance.training.teaching import questions, taught
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic

WORDS = {
    "finance": "财经 股票 基金",
    "health": "健康 医疗 养生",
    "travel": "旅游 旅行 景点",
    "food": "美食 菜谱 烹饪",
    "sport": "体育 足球 篮球",
    "blockchain": "区块链 比特币 以太坊",
    "programming": "编程 代码 程序员",
    "literature": "文学 小说 诗歌",
    "database": "数据库 mysql 索引",
}
A_ROUND = 5


class Texts:
    """The words of recorded pages, read when they are first wanted."""

    def __init__(self, pages: RecordedPages, topic: Topic) -> None:
        self._pages, self._reader = pages, Reader(VsmClassifier(topic))
        self._known: dict[int, PageWords] = {}

    def __getitem__(self, number: int) -> PageWords:
        if number not in self._known:
            pages = self._pages
            recorded = pages.web.response(pages.recorded[number])
            headers = {name.lower(): value for name, value in recorded.headers} if recorded else {}
            kind = headers.get(b"content-type", b"").decode("latin-1")
            body = recorded.body if recorded else b""
            charset = http_content_type_encoding(kind)
            read = self._reader.read(pages.urls[number], body, charset, content_type=kind)
            self._known[number] = read.words
        return self._known[number]


class TaughtCrawl(ReplayedCrawl):
    """A replay whose pages are classified when they come; what came is kept."""

    def __init__(self, run: Run, recipe: Recipe, parsed: ParsedPages, texts: Texts) -> None:
        self.texts, self.recipe = texts, recipe
        self.came: list[tuple[int, Page]] = []
        super().__init__(run, assemble(recipe), parsed, Cost())

    def page(self, number: int, reading: Reading, via: Via) -> Page:
        page = self.judged(number, super().page(number, reading, via))
        self.came.append((number, page))
        return page

    def judged(self, number: int, page: Page) -> Page:
        """The page as the strategy is told of it."""
        one = self.parts.strategy_classifier
        words = self.texts[number]
        relevance, similarity = one.relevance(words), one.similarity(words)
        is_target = relevance >= one.threshold
        return dataclasses.replace(page, relevance=relevance, similarity=similarity, is_target=is_target)

    def teach(self, relevant: set[int], count: int) -> int:
        """Ask the simulated person, learn, rescore; how many answers were yes."""
        base = self.parts.topic
        words = [
            dataclasses.replace(self.texts[number], headings=(), emphasis=(), meta=())
            for number, _ in self.came
        ]
        answers: dict[int, bool] = {}
        while len(answers) < count:
            one = VsmClassifier(topic := taught(base, words, answers))
            relevances = [one.relevance(page) for page in words]
            chosen = questions(relevances, one.threshold, answers, min(A_ROUND, count - len(answers)))
            if not chosen:
                break
            answers |= {place: self.came[place][0] in relevant for place in chosen}
        topic = taught(base, words, answers)
        old = self.parts.strategy
        taught_recipe = dataclasses.replace(self.recipe, topic_fields=topic.model_dump())
        self.use(assemble(taught_recipe))
        pages = [self.judged(number, page) for number, page in self.came]
        changed = sum(
            page.is_target != was.is_target for page, (_, was) in zip(pages, self.came, strict=True)
        )
        if can_transfer(old, changed, len(pages)):
            self.use(assemble(dataclasses.replace(taught_recipe, strategy_topic=base.model_dump())))
            transfer_state(self.parts.strategy, old.save(), self.frontier)
        else:
            relearn(self.parts.strategy, self.frontier, pages)
        self.ordering.pages = len(pages)
        return sum(answers.values())


def main() -> None:
    """Read the web, crawl, print a line a run and a table."""
    opts = arguments()
    names = opts.topics.split(",")
    recipes = {name: recipe_of(name) for name in names}
    pages = RecordedPages(RecordedWeb(sorted(opts.web.glob("*.warc.gz"))))
    labels = read_labels([opts.web / "labels.tsv"], pages)
    seeds = tuple(number for url in opts.seeds.split(",") if (number := pages.number_of_any(url)) is not None)
    if not seeds:
        raise SystemExit(f"--seeds {opts.seeds}: the recorded web holds none of them")
    plan = ReadingPlan.of(sorted(opts.web.glob("*.warc.gz")), list(recipes.values()), ["window"])
    found: dict[int, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder, Workers(1) as workers:
        links = read_web(plan, pages, Path(folder) / "pages.sqlite", workers, lambda _: None).links
        with contextlib.closing(ParsedPages(Path(folder) / "pages.sqlite")) as parsed:
            texts = Texts(pages, topic_of(recipes[names[0]]))
            for number, count, name in runs(opts, names):
                relevant = labels.of(name)
                oracle = Curve.of(
                    page in relevant for page in oracle_order(links, list(seeds), relevant, opts.pages)
                )
                run = Run(
                    recipes[name], "adaptive", seeds, opts.pages, Path(folder), names.index(name), number
                )
                crawl = TaughtCrawl(run, recipes[name], parsed, texts)
                yes = 0
                if count:
                    crawl.most = opts.pilot
                    crawl.go()
                    yes = crawl.teach(relevant, count)
                    crawl.most = opts.pages
                    order = crawl.go_on().order
                else:
                    order = crawl.go().order
                ratio = oracle_ratio(Curve.of(page in relevant for page in order), oracle, opts.pages)
                row: dict[str, Any] = {
                    "topic": name,
                    "answers": count,
                    "run": number,
                    "yes": yes,
                    "ratio": round(ratio, 4),
                }
                print(json.dumps(row), flush=True)
                if opts.out:
                    with opts.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
                found.setdefault(count, {}).setdefault(name, []).append(ratio)
    print(f"{'answers':>8}  " + "".join(f"{name:>12}" for name in names) + f"{'mean':>12}")
    for count, by_topic in sorted(found.items()):
        means = [fmean(by_topic[name]) for name in names]
        print(f"{count:>8}  " + "".join(f"{mean:12.3f}" for mean in means) + f"{fmean(means):12.3f}")


def recipe_of(name: str) -> Recipe:
    """Three words, the words proposed for them, no trained link model."""
    made = recipe_of_words(Recipe("", link_models="none"), WORDS[name].split(), PROPOSED_WORDS)
    return dataclasses.replace(made, topic_fields=topic_of(made).model_dump())


def runs(opts: argparse.Namespace, names: list[str]) -> Iterator[tuple[int, int, str]]:
    """Number, answers and topic of each run."""
    for number in range(opts.first, opts.first + opts.runs):
        for count in map(int, opts.answers.split(",")):
            for name in names:
                yield number, count, name


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--web", type=Path, required=True)
    add("--answers", default="0,5,10,20,50")
    add("--topics", default="finance,health,travel,food,sport,blockchain")
    add("--seeds", default="http://daohang.example/")
    add("--runs", type=int, default=2)
    add("--first", type=int, default=0, help="number of the first run")
    add("--pages", type=int, default=2000)
    add("--pilot", type=int, default=300)
    add("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
