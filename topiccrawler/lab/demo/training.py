"""Trains the demo's link model: crawls the training part, labels its links by URL prefix, and calls link_model.training.

A breadth-first crawl over real HTTP collects links; each gets the label of its target's prefix (NB 2010 §3.2.2). The prefixes in the
demo's topic file are all in the part that is not crawled later, so that the crawls cannot profit from them.
"""

from __future__ import annotations

import json
import math
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.error import HTTPError

from topiccrawler.errors import LinksFileError, file_faults
from topiccrawler.lab.demo.crawls import DemoFiles
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.sites import TRAIN
from topiccrawler.link_model.model_file import save
from topiccrawler.link_model.training.address_labels import label
from topiccrawler.link_model.training.train import TrainingRecipe, train
from topiccrawler.links.extract import extract
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.contrasts import unlike

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
