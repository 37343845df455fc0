"""Narrow topics of a user's own: harvest, and how good what is kept is, by the command that a user types.

    python benchmarks/narrow.py [WEBS] [--topics FILE] [--judged FILE] [--part NAME,NAME] [--pages 1000] [--jobs 1]
        [-s NAME=VALUE]... [--out DIR] [--count] [--json]

WEBS is a folder of recorded webs, each a folder with *.warc.gz and labels.tsv (url, topics, how, kind); without it, the one that
TOPICCRAWLER_SHARED names. Topics (narrow_topics.json beside this file; further_topics.json, english_topics.json): {name: {"web": folder,
"words": three words, "match": expression}}. Each is crawled by `scrapy crawl topic -a keywords=…` over its web, from the URLs of topic
`all` in the web's seeds.tsv, else from SEEDS. --out keeps the jobs' folders. --count only counts the pages that match.

A page is on the topic when the expression matches its title, first heading or declared tags, less what the site writes on very many of
its pages; --judged ({topic: {url: 0|1}}, narrow_judged.json beside this file; further_judged.json, english_judged.json) goes before that: a
reader's word, here a language model's. So the truth is a lower bound: a page need not say in its title what it is about.

    ratio     = mean over 20 equal steps of pages n of found(n) / min(n, on topic in the web)
    precision, recall, P@25, calibration error of the content pages: as topiccrawler/lab/measures.py has them, a share of
                nothing counted as 0; pages that are kept as aliases of others do not count as kept
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import get_type_hints

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.lab.measures import Assessed, Kept
from topiccrawler.lab.recorded_web import CONTENT
from topiccrawler.lab.runner import JOB, crawl_job, fetched, job_verdicts
from topiccrawler.lab.training.narrow_truth import (
    LabelledWeb,
    Topic,
    read_json,
    read_topics,
    read_web,
)

TOPICS = Path(__file__).with_name("narrow_topics.json")
JUDGED = Path(__file__).with_name("narrow_judged.json")
SETTINGS = {
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "False",
    "ROBOTSTXT_OBEY": "False",
    "TOPIC_ROBOTS_TAGS_OBEY": "False",
    "HTTPERROR_ALLOW_ALL": "False",
    "RETRY_ENABLED": "False",
}
STEPS = 20  # of the curve whose mean is the ratio


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a crawl."""

    on_topic: int  # labelled pages of the web
    found: int  # of them fetched
    ratio: float
    kept: int  # content pages
    precision: float
    recall: float
    p_at_25: float
    calibration_error: float


def crawl(
    topic: Topic,
    web: LabelledWeb,
    pages: int,
    settings: Sequence[str],
    folder: Path,
    more: Mapping[str, str] | None = None,
) -> Path:
    """Crawl for the topic's words; the job's folder. `more`: further arguments of the crawl."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = folder / "seeds.txt"
    if (folder / JOB).exists():
        raise ArgumentError(f"--out {folder}", "holds a job already", "name another folder")
    seeds.write_text("\n".join(web.seeds) + "\n", encoding="utf-8")
    own = {**SETTINGS, "REPLAY_WARC": ",".join(map(str, web.paths)), "JOBDIR": str(folder / JOB)}
    own |= dict(setting.split("=", 1) for setting in settings)
    given = {"keywords": topic.keywords, "seeds": seeds, "pages": pages, **(more or {})}
    return crawl_job(f"the crawl of {topic.name}", given, own, folder).folder


def score(
    job: Path,
    web: LabelledWeb,
    on_topic: frozenset[int],
    pages: int,
    found: Mapping[str, Verdict] | None = None,
) -> Row:
    """Of a job that has ended. `found`: the verdicts on its pages by URL; None = those that it ended with."""
    order = fetched(job, web.pages, len(web.pages)).order
    order = [page for page in order if page in web.kinds][:pages]
    by_url = (job_verdicts(job) if found is None else found).items()
    verdicts = {number: one for url, one in by_url if (number := web.pages.number_of_any(url)) is not None}
    content = [page for page in order if web.kinds[page] == CONTENT]
    kept = Kept.of([Assessed(page in on_topic, *verdicts.get(page, (None, False))) for page in content])
    hits = [page in on_topic for page in order]
    return Row(
        on_topic=len(on_topic),
        found=sum(hits),
        ratio=harvest_ratio(hits, len(on_topic), pages),
        kept=kept.pages,
        precision=kept.precision or 0.0,
        recall=kept.recall or 0.0,
        p_at_25=kept.p_at_25 or 0.0,
        calibration_error=kept.calibration_error or 0.0,
    )


def harvest_ratio(hits: Sequence[bool], on_topic: int, pages: int) -> float:
    """0..1; `hits`: in order of fetching. The best order finds a page on topic with each fetch."""
    every = max(1, pages // STEPS)
    at = range(every, pages + 1, every)
    return fmean(sum(hits[:n]) / min(n, on_topic) for n in at) if on_topic else 0.0


def mean_of(table: Iterable[Row]) -> dict[str, float]:
    """Of each column."""
    found = list(table)
    return {name: fmean(getattr(row, name) for row in found) for name in COLUMNS}


def shown(name: str, figures: Mapping[str, float], kinds: Mapping[str, type]) -> str:
    cells = (
        f"{value:>12.3f}" if kinds[column] is float else f"{value:>12.0f}"
        for column, value in figures.items()
    )
    return f"{name:<12}" + "".join(cells)


COLUMNS = tuple(one.name for one in fields(Row))
HEADS = ("on topic", "found", "ratio", "kept", "precision", "recall", "P@25", "calib. err.")


def main() -> None:
    """Read the webs, crawl for each topic, print a row a topic and the means."""
    parser = options(__doc__)
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=1, help="crawls side by side")
    parser.add_argument("--count", action="store_true", help="no crawl: how many pages match")
    measure("narrow", parser.parse_args(), measured)


def measure(
    name: str, options: argparse.Namespace, measured: Callable[[argparse.Namespace, Path], None]
) -> None:
    """Measure on the webs in `options.webs`, else in TOPICCRAWLER_SHARED. `name`: of the program, for its messages."""
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    webs = options.webs or (Path(shared) if shared else None)
    if webs is None:
        print(f"{name}: name a folder of recorded webs, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    try:
        measured(options, webs)
    except CrawlerError as fault:
        raise SystemExit(f"{name}: {fault}") from None


def measured(options: argparse.Namespace, webs: Path) -> None:
    """What main does, once it knows where the webs are."""
    topics = read_topics(options.topics, [name for name in options.part.split(",") if name])
    judged = read_json(options.judged)
    read = {name: read_web(webs / name) for name in dict.fromkeys(topic.web for topic in topics)}
    truths = {topic.name: read[topic.web].about(topic, judged.get(topic.name, {})) for topic in topics}
    if options.count:
        for topic in topics:
            kinds = read[topic.web].kinds
            content = sum(kinds[page] == CONTENT for page in truths[topic.name])
            print(
                f"{topic.name:<12}{topic.web:<9}{len(truths[topic.name]):>6} pages, {content} of them content"
            )
        return
    kinds = get_type_hints(Row)
    print(f"{'':<12}" + "".join(f"{head:>12}" for head in HEADS), flush=True)
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(options.jobs) as threads:
        place = options.out or Path(temporary)

        def done(topic: Topic) -> Row:
            web = read[topic.web]
            job = crawl(topic, web, options.pages, options.settings, place / topic.name)
            return score(job, web, truths[topic.name], options.pages)

        table = {}
        for topic, row in zip(topics, threads.map(done, topics), strict=True):
            table[topic.name] = row
            print(shown(topic.name, asdict(row), kinds), flush=True)
    mean = mean_of(table.values())
    print(shown(f"mean of {len(table)}", mean, kinds))
    if options.json:
        print(json.dumps({"topics": {name: asdict(row) for name, row in table.items()}, "mean": mean}))


def options(description: str | None) -> argparse.ArgumentParser:
    """Those of all that crawls for such topics."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("webs", type=Path, nargs="?", help="folder of recorded webs")
    add("--topics", type=Path, default=TOPICS)
    add("--judged", type=Path, default=JUDGED)
    add("--part", default="", metavar="NAME,NAME", help="these topics only")
    add("--pages", type=int, default=1000, metavar="N")
    add("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="for the crawls")
    add("--out", type=Path, metavar="DIR", help="keeps the jobs")
    add("--json", action="store_true", help="the figures as one JSON line at the end")
    return parser


if __name__ == "__main__":
    main()
