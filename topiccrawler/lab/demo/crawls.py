"""Trains the demo's link model, runs its crawls on the synthetic web, manages their folder, and records the web as a WARC file.

`train_on` collects links by a breadth-first crawl over real HTTP; each gets the label of its target's prefix (NB 2010 §3.2.2). The prefixes
in the demo's topic file are all in the part that is not crawled later, so that the crawls cannot profit from them.

`crawl` runs `scrapy crawl topic`, as a user would type it, in a process of its own; a failure becomes one line that says where to look.

`DemoFiles` allows the demo to run repeatedly into the same folder: it deletes the files of earlier crawls and nothing else, because a
folder may be named by mistake.

`record` writes a WARC file and labels for a comparison without the network: the same bytes each time, on every machine.
"""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import urllib.request
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.error import HTTPError

from topiccrawler.crawling.launching import crawl_line, failure, start_scrapy
from topiccrawler.errors import ArgumentError, LinksFileError, file_faults
from topiccrawler.lab.demo.language import FINANCE, FINANCE_KEYWORDS, SUBJECTS
from topiccrawler.lab.demo.plan import (
    CRAWL,
    DIRECTORY,
    JUMPED,
    LICAI,
    MIXED,
    SITES,
    TRAIN,
    TRAIN_DIRECTORY,
    PlannedPage,
    Web,
)
from topiccrawler.lab.demo.server import RunningServer, answer
from topiccrawler.link_model.model_file import model_file, save
from topiccrawler.link_model.training.address_labels import label
from topiccrawler.link_model.training.train import TrainingRecipe, train
from topiccrawler.links.extract import extract
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.replay.warc_writing import write_web
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.contrasts import unlike

POLL_SECONDS = 0.25
# Each host gets one request at a time, and some ten of the 55 hosts are worth fetching from: more requests would go to the others.
CONCURRENCY = 8
PAGE_THRESHOLD = 0.3


class DemoFiles:
    """The paths of all files of one demo."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.topic, self.seeds = folder / "demo.toml", folder / "seeds.txt"
        self.links = folder / "links.jsonl"
        self.models, self.model = folder / "models", model_file(FINANCE, folder / "models")

    def job(self, strategy: str) -> Path:
        """The folder of the job."""
        return self.folder / strategy

    def log(self, strategy: str) -> Path:
        """The file with the output of the crawl."""
        return self.folder / f"{strategy}.log"

    def feed(self, strategy: str) -> Path:
        """The feed file of the crawl, with its kept pages."""
        return self.folder / f"{strategy}.jsonl"

    def make_ready(self, seeds: Iterable[str], strategies: Iterable[str]) -> None:
        """Write the topic and the seeds, and delete the files of an earlier demo's crawls, so that crawls do not append to them.
        ArgumentError for a folder that has other files."""
        out, there = f"--out {self.folder}", self.folder.exists() and not self.topic.exists()
        if there and not (self.folder.is_dir() and not any(self.folder.iterdir())):
            raise ArgumentError(out, "holds something else than a demo", "name a new folder")
        with file_faults(ArgumentError, out, "cannot be written", "name another folder"):
            self.models.mkdir(parents=True, exist_ok=True)
            for strategy in strategies:
                for file in (*self.job(strategy).glob("*"), self.log(strategy), self.feed(strategy)):
                    file.unlink(missing_ok=True)
            self.topic.write_text(topic_toml(), encoding="utf-8")
            self.seeds.write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")


def topic_toml() -> str:
    """The text of demo.toml: the topic finance with hand-picked keywords, and with hosts of the training part as labels."""
    positive, negative = dict[str, None](), {f"{TRAIN_DIRECTORY}/": None}
    for site in SITES:
        for channel in site.channels if site.part == TRAIN else ():
            whole = site.topic != MIXED or channel.prefix == "/"
            side = positive if channel.topic == FINANCE else negative
            side[channel.host + ("" if whole else channel.prefix)] = None
    keywords = "".join(f'"{word}" = {weight}\n' for word, weight in FINANCE_KEYWORDS.items())
    return f"""# Written by `scrapy demo`. Hosts and host/path prefixes serve to label links for training only.
name = "{FINANCE}"
zh = "{SUBJECTS[FINANCE].zh}"
page_threshold = {PAGE_THRESHOLD}
positive = {json.dumps(list(positive), indent=4)}
negative = {json.dumps(list(negative), indent=4)}
[keywords]
{keywords}"""


def crawl_arguments(files: DemoFiles, strategy: str, pages: int) -> list[str]:
    """The command line of one of the demo's crawls, without `scrapy` itself."""
    given = {"topic": files.topic, "strategy": strategy, "seeds": files.seeds, "pages": pages}
    settings = {
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "STORE_URL": "",
    }
    paths = {"TOPIC_LINK_MODELS": files.models, "TOPIC_DATA_DIR": files.folder, "TOPIC_JOB": strategy}
    return [*crawl_line(given, {**settings, **paths}), "-O", str(files.feed(strategy))]


def crawl(
    files: DemoFiles, strategy: str, pages: int, server: RunningServer, tick: Callable[[int], None]
) -> None:
    """Run a crawl and wait for its end. `tick`: called with the number of pages that the server has served to it so far."""
    before, log = server.pages_served, files.log(strategy)
    arguments = crawl_arguments(files, strategy, pages)
    with log.open("wb") as output, start_scrapy(arguments, output, server.environment()) as process:
        try:
            while process.poll() is None:
                tick(server.pages_served - before)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_SECONDS)
        finally:
            process.terminate()
    if process.returncode:
        raise failure(f"crawl with {strategy}", process.returncode, log)


def record(web: Web, folder: Path, pages: Iterable[PlannedPage] | None = None) -> tuple[Path, Path]:
    """Record these pages of the web, by default all of the crawled part, and their labels; return the WARC file and the label file."""
    warc, labels = folder / "pages.warc", folder / "labels.tsv"
    planned = list(web.of_part(CRAWL) if pages is None else pages)
    urls = [page.url for page in planned]
    home = f"http://{LICAI}/"
    ways = [f"http://{DIRECTORY}/go.php?to={host}" for host in web.hosts()]
    ways += [url.replace(home, f"http://{JUMPED}/", 1) for url in urls if url.startswith(home)]
    given = ((url, answer(web, url)) for url in (*urls, *ways))
    write_web(warc, ((url, *found[:3]) for url, found in given if found.status < 400))
    rows = ["#url\ttopics\thow\tkind"]
    for page in planned:
        topic = "" if page.topic == MIXED else page.topic
        rows.append(f"{page.url}\t{topic}\tplan\t{'content' if page.kind == 'article' else 'hub'}")
    labels.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return warc, labels


TIMEOUT_SECONDS = 30.0
CONTEXT: Final = "window"


class Lesson(NamedTuple):
    """The size of the training set, and the quality of the model."""

    pages: int
    links: int
    positive: int
    f1: float  # of the model on links of held-out hosts; nan when there was nothing to hold out


def collect(web: Web, proxy: str, reader: Reader, pages: int) -> Iterator[Sequence[Link]]:
    """The links of each of the first `pages` pages of a breadth-first crawl of the training part. `proxy`: the server's URL."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    allowed, queue, fetched = set(web.hosts(TRAIN)), deque((url, 0) for url in web.train_seeds), 0
    known = set(web.train_seeds)
    while queue and fetched < pages:
        url, depth = queue.popleft()
        try:
            with opener.open(url, timeout=TIMEOUT_SECONDS) as reply:
                body, charset = reply.read(), reply.headers.get_content_charset()
        except HTTPError:  # the page is gone
            continue
        fetched += 1
        document = reader.read(url, body, charset, depth=depth).document
        links = extract(document, url, depth=depth + 1, context=CONTEXT)
        yield links
        new = dict.fromkeys(link.url for link in links if link.host in allowed and link.url not in known)
        known.update(new)
        queue.extend((url, depth + 1) for url in new)


def train_on(web: Web, files: DemoFiles, proxy: str, pages: int, tick: Callable[[int], None]) -> Lesson:
    """Collect links through `proxy`, write those with a label to a file, train on them, and write the model. `tick`: called with the
    number of pages so far."""
    topic = load_topic(str(files.topic))
    labels, page = list[int](), 0
    fault = file_faults(LinksFileError, files.links, "could not be collected", "run the demo again")
    with fault, files.links.open("w", encoding="utf-8") as output:
        reader = Reader(VsmClassifier(topic), segmenter=topic.segmenter)
        for page, links in enumerate(collect(web, proxy, reader, pages), 1):
            tick(page)
            for link in links:
                if (value := label(link.url, topic)) is not None:
                    row = {**link._asdict(), "context": CONTEXT, "label": value}
                    output.write(json.dumps(row, ensure_ascii=False) + "\n")
                    labels.append(value)
    recipe = TrainingRecipe(topic, links=[files.links], negative_topics=unlike(topic), context=CONTEXT)
    trained = train(recipe)
    save(trained.model, files.model)
    f1 = [row.f1 for row in trained.rows if row.name == "hosts: model"]
    return Lesson(page, len(labels), sum(labels), f1[0] if f1 else math.nan)
