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
    precision, recall, P@25, calibration error of the content pages: as topiccrawler/lab/kept_pages.py has them, a share of
                nothing counted as 0; pages that are kept as aliases of others do not count as kept
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any, get_type_hints

import _checkout  # noqa: F401 first: the package may not be installed
from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.job_files import VISITS
from topiccrawler.crawling.launching import failure, job_line, start_scrapy
from topiccrawler.errors import ArgumentError, CrawlerError, file_faults
from topiccrawler.lab.kept_pages import Assessed, measure
from topiccrawler.lab.live import fetched, job_verdicts
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.text.characters import decode

TOPICS = Path(__file__).with_name("narrow_topics.json")
JUDGED = Path(__file__).with_name("narrow_judged.json")
SEEDS = {"blogs": "http://daohang.example/", "portal": "http://www.sina.com.cn/"}
SETTINGS = {
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "False",
    "ROBOTSTXT_OBEY": "False",
    "HTTPERROR_ALLOW_ALL": "False",
    "RETRY_ENABLED": "False",
}
CONTENT = "content"
STEPS = 20  # of the curve whose mean is the ratio
MOST_JOBS = 2
BOILERPLATE_SHARE, BOILERPLATE_PAGES = 0.3, 5  # of a host: what more of its pages say is about the site
MOST_CHARACTERS = 400  # of a title, heading or list of tags
_BETWEEN = re.compile(r"\s*[|\-–—_·«»/,，、:：]\s*")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a user's own."""

    name: str
    web: str  # folder of its web
    words: str  # what the user types
    match: str  # expression that tells pages about it

    @property
    def keywords(self) -> str:
        """As `-a keywords=` takes them."""
        return ",".join(self.words.split())


@dataclass(frozen=True, slots=True)
class LabelledWeb:
    """A recorded web with what its pages say of themselves."""

    paths: tuple[Path, ...]
    pages: RecordedPages
    seeds: tuple[str, ...]
    kinds: Mapping[int, str]  # of the labelled pages
    texts: Mapping[int, tuple[str, ...]]  # title, first heading, tags; less what the site writes everywhere

    def about(self, topic: Topic, judged: Mapping[str, int]) -> frozenset[int]:
        """The labelled pages on the topic; `judged`: URL -> 0 or 1."""
        matches = re.compile(topic.match, re.IGNORECASE).search
        found = {page for page, texts in self.texts.items() if any(map(matches, texts))}
        for url, answer in judged.items():
            page = self.pages.number_of_any(url)
            if page in self.kinds:
                found = found | {page} if answer else found - {page}
        return frozenset(page for page in found if page is not None)


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


def read_topics(path: Path, part: Sequence[str] = ()) -> list[Topic]:
    """The topics of a file, or those of them that are named."""
    found = {name: Topic(name, **fields) for name, fields in read_json(path).items()}
    if missing := [name for name in part if name not in found]:
        raise ArgumentError(f"--part {','.join(missing)}", f"not in {path}", f"there are {', '.join(found)}")
    return [found[name] for name in part or found]


def read_json(path: Path) -> dict[str, Any]:
    with file_faults(ArgumentError, str(path), "cannot be read as JSON", "name another file"):
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def read_web(folder: Path) -> LabelledWeb:
    """Read the titles and tags of all labelled pages."""
    paths = tuple(sorted(folder.glob("*.warc*")))
    pages = RecordedPages(RecordedWeb(paths))
    kinds: dict[int, str] = {}
    for row in rows(folder / "labels.tsv"):
        page = pages.number_of_any(row[0])
        if page is not None and len(row) > 3:
            kinds[page] = row[3]
    texts = {page: texts_of(pages, page, kind) for page, kind in kinds.items()}
    return LabelledWeb(paths, pages, seeds_of(folder), kinds, without_boilerplate(texts, pages.hosts))


def seeds_of(folder: Path) -> tuple[str, ...]:
    """Where crawls of a web begin."""
    file = folder / "seeds.tsv"
    found = [row[1] for row in rows(file) if row[0] == "all"] if file.exists() else []
    found = found or [SEEDS[name] for name in [folder.name] if name in SEEDS]
    if not found:
        raise ArgumentError(str(folder), "has no seeds", "write lines all TAB url to its seeds.tsv")
    return tuple(found)


def rows(path: Path) -> list[list[str]]:
    with file_faults(ArgumentError, str(path), "cannot be read", "name a folder of recorded webs"):
        lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]


def texts_of(pages: RecordedPages, page: int, kind: str) -> tuple[str, ...]:
    """Title, first heading and declared tags of a page. Keywords are those of a page only where it is one text."""
    recorded = pages.web.response(pages.recorded[page])
    if recorded is None:
        return ()
    headers = {name.lower(): value for name, value in recorded.headers}
    charset = http_content_type_encoding(headers.get(b"content-type", b"").decode("latin-1"))
    tree = LexborHTMLParser(decode(recorded.body, charset)[0])
    tags = [node.text() for node in tree.css("a[rel~=tag]")]
    declared = [*tree.css("meta[property='article:tag']")]
    if kind == CONTENT:
        declared += tree.css("meta[name=keywords i]")
    tags += [node.attributes.get("content") or "" for node in declared]
    firsts = [node.text() if (node := tree.css_first(name)) is not None else "" for name in ("title", "h1")]
    return tuple(" ".join(text.split())[:MOST_CHARACTERS] for text in (*firsts, " / ".join(tags)))


def without_boilerplate(
    texts: Mapping[int, tuple[str, ...]], hosts: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    """The texts without the parts that very many pages of their host have."""
    pages_of = Counter(hosts[page] for page in texts)
    having = Counter(
        (hosts[page], part) for page, of_page in texts.items() for part in parts_of(" / ".join(of_page))
    )
    most = {host: max(BOILERPLATE_PAGES, BOILERPLATE_SHARE * count) for host, count in pages_of.items()}

    def cut(host: str, text: str) -> str:
        return " - ".join(part for part in _BETWEEN.split(text) if having[host, part] <= most[host])

    return {page: tuple(cut(hosts[page], text) for text in of_page) for page, of_page in texts.items()}


def parts_of(text: str) -> set[str]:
    """What stands between separators."""
    return set(_BETWEEN.split(text))


def crawl(topic: Topic, web: LabelledWeb, pages: int, settings: Sequence[str], folder: Path) -> Path:
    """Crawl for the topic's words; the job's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds, log, job = folder / "seeds.txt", folder / "log.txt", folder / "job"
    if job.exists():
        raise ArgumentError(f"--out {folder}", "holds a job already", "name another folder")
    seeds.write_text("\n".join(web.seeds) + "\n", encoding="utf-8")
    own = {
        **SETTINGS,
        "REPLAY_WARC": ",".join(map(str, web.paths)),
    }
    given = {"keywords": topic.keywords, "seeds": str(seeds), "pages": str(pages)}
    arguments = job_line(given, own, job)
    for setting in settings:
        arguments += ["-s", setting]
    with log.open("wb") as output:
        code = start_scrapy(arguments, output, os.environ).wait()
    if code or not (job / VISITS).exists():
        raise failure(f"the crawl of {topic.name}", code, log)
    return job


def score(job: Path, web: LabelledWeb, on_topic: frozenset[int], pages: int) -> Row:
    """Of a job that has ended."""
    order = fetched(job / VISITS, web.pages, len(web.pages)).order
    order = [page for page in order if page in web.kinds][:pages]
    by_url = job_verdicts(job).items()
    verdicts = {number: one for url, one in by_url if (number := web.pages.number_of_any(url)) is not None}
    content = [page for page in order if web.kinds[page] == CONTENT]
    kept = measure([Assessed(page in on_topic, *verdicts.get(page, (None, False))) for page in content])
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
    options = arguments()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    webs = options.webs or (Path(shared) if shared else None)
    if webs is None:
        print("narrow: name a folder of recorded webs, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    try:
        measured(options, webs)
    except CrawlerError as fault:
        raise SystemExit(f"narrow: {fault}") from None


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


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("webs", type=Path, nargs="?", help="folder of recorded webs")
    add("--topics", type=Path, default=TOPICS)
    add("--judged", type=Path, default=JUDGED)
    add("--part", default="", metavar="NAME,NAME", help="these topics only")
    add("--pages", type=int, default=1000, metavar="N")
    add("--jobs", type=int, choices=range(1, MOST_JOBS + 1), default=1, help="crawls side by side")
    add("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="for the crawls")
    add("--out", type=Path, metavar="DIR", help="keeps the jobs")
    add("--count", action="store_true", help="no crawl: how many pages match")
    add("--json", action="store_true", help="the figures as one JSON line at the end")
    return parser.parse_args()


if __name__ == "__main__":
    main()
