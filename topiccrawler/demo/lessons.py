"""The demo's training: a general crawl of the training part, links labelled by the domain rule, then `link_model.training`.

The conflict: the demo must train as `scrapy train` does, with the same files and the same model at the end, only from a web
that has no headlines or documents to learn from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from topiccrawler.demo.collecting import CONTEXT, ProxyClient, collect, labelled, line
from topiccrawler.demo.files import DemoFiles
from topiccrawler.demo.plan import Web
from topiccrawler.demo.sites import TRAIN
from topiccrawler.errors import LinksFileError
from topiccrawler.link_model.model_file import save
from topiccrawler.link_model.training.train import Recipe, train
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.catalogue import load_topic, topic_names


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learnt from."""

    pages: int
    links: int
    positive: int
    f1: float  # of the model on links of hosts held out; nan when there was nothing to keep aside


def train_on(web: Web, files: DemoFiles, proxy: str, pages: int, tick: Callable[[int], None]) -> Lesson:
    """Collect links through `proxy`, write them, train on them, write the model."""
    topic = load_topic(str(files.topic))
    read = 0

    def count(done: int) -> None:
        nonlocal read
        read = done
        tick(done)

    labels: list[int] = []
    client = ProxyClient(proxy)
    try:
        found = collect(client, web.train_seeds, web.hosts(TRAIN), Reader(VsmClassifier(topic)), pages, count)
        with files.links.open("w", encoding="utf-8") as output:
            for link, label in labelled(found, topic):
                output.write(line(link, label))
                labels.append(label)
    except OSError as failure:
        raise LinksFileError(
            str(files.links), f"could not be collected: {failure}", "run the demo again"
        ) from None
    finally:
        client.close()
    negative_topics = [load_topic(name) for name, _ in topic_names() if name != topic.name]
    trained = train(Recipe(topic, links=[files.links], negative_topics=negative_topics, context=CONTEXT))
    save(trained.model, files.model)
    f1 = [row.f1 for row in trained.rows if row.name == "hosts: model"]
    return Lesson(read, len(labels), sum(labels), f1[0] if f1 else float("nan"))
