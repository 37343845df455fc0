"""The demo's training: a general crawl of the training part, links labelled by the domain rule, then link_model.training.

A plain breadth-first crawl over real HTTP reads links, and each gets the label of its target's place (NB 2010 §3.2.2). The
demo's topic file names places of the part that is never crawled later, so that the crawl cannot profit from them.
"""

from __future__ import annotations

import json
import math
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.error import HTTPError

from topiccrawler.demo.crawls import DemoFiles
from topiccrawler.demo.plan import Web
from topiccrawler.demo.sites import TRAIN
from topiccrawler.errors import LinksFileError, file_faults
from topiccrawler.link_model.model_file import save
from topiccrawler.link_model.training.labelling import label
from topiccrawler.link_model.training.train import TrainingRecipe, train
from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.catalogue import load_topic, topic_names

TIMEOUT_SECONDS = 30.0
CONTEXT: ContextMaker = "window"


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learnt from."""

    pages: int
    links: int
    positive: int
    f1: float  # of the model on links of hosts held out; nan when there was nothing to keep aside


def collect(web: Web, proxy: str, reader: Reader, pages: int, tick: Callable[[int], None]) -> Iterator[Link]:
    """Every link on the first `pages` pages of a breadth-first crawl of the training part; `tick` counts pages."""
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
        tick(fetched)
        document = reader.read(url, body, charset, depth=depth).document
        for link in extract(document, url, depth=depth + 1, context=CONTEXT):
            yield link
            if link.host in allowed and link.url not in known:
                known.add(link.url)
                queue.append((link.url, link.depth))


def train_on(web: Web, files: DemoFiles, proxy: str, pages: int, tick: Callable[[int], None]) -> Lesson:
    """Collect links through `proxy`, write those with a label, train on them, write the model."""
    topic = load_topic(str(files.topic))
    read, labels = [0], list[int]()

    def count(done: int) -> None:
        read.append(done)
        tick(done)

    found = collect(web, proxy, Reader(VsmClassifier(topic)), pages, count)
    fault = file_faults(LinksFileError, files.links, "could not be collected", "run the demo again")
    with fault, files.links.open("w", encoding="utf-8") as output:
        for link in found:
            if (value := label(link.url, topic)) is not None:
                row = {**link._asdict(), "context": CONTEXT, "label": value}
                output.write(json.dumps(row, ensure_ascii=False) + "\n")
                labels.append(value)
    others = [load_topic(name) for name, _ in topic_names() if name != topic.name]
    trained = train(TrainingRecipe(topic, links=[files.links], negative_topics=others, context=CONTEXT))
    save(trained.model, files.model)
    f1 = [row.f1 for row in trained.rows if row.name == "hosts: model"]
    return Lesson(read[-1], len(labels), sum(labels), f1[0] if f1 else math.nan)
