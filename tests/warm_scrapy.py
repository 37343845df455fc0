"""A process that has loaded what a crawl needs, and forks for each command line it is given: most of a short crawl's time
goes into that. Run by the fixture of this name in conftest.py; it has one thread and no reactor, so that forking it is safe.

A request is one line of JSON: words, environment, out, err (files). The answers are the process's id, and its exit code.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys

from scrapy import cmdline
from scrapy.utils.misc import walk_modules_iter

from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.text.word_vectors import shipped_vectors
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.urls.canonical import registered_domain

PACKAGES = (
    "scrapy.commands",
    "scrapy.downloadermiddlewares",
    "scrapy.spidermiddlewares",
    "topiccrawler.commands",
    "topiccrawler.engine.middlewares",
)
MODULES = (
    "itemadapter",
    "numpy.ma",
    "scrapy.extensions.closespider",
    "scrapy.extensions.corestats",
    "scrapy.extensions.logcount",
    "scrapy.extensions.logstats",
    "scrapy.extensions.memusage",
    "scrapy.extensions.throttle",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "topiccrawler.addon",
    "topiccrawler.engine.control.verbs",
    "topiccrawler.engine.pipelines",
    "topiccrawler.engine.progress",
    "topiccrawler.engine.replay_handler",
    "topiccrawler.engine.scheduler",
    "topiccrawler.spiders.links",
    "topiccrawler.spiders.topic",
    "topiccrawler.strategies.adaptive.strategy",
)


def become(request: dict[str, object]) -> None:
    """Take on what a new process would have been given."""
    os.environ.clear()
    os.environ.update(request["environment"])
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["out"], os.O_WRONLY | os.O_CREAT),
        (2, request["err"], os.O_WRONLY | os.O_CREAT),
    ):
        os.dup2(os.open(path, flags), number)
    sys.argv = ["scrapy", *request["words"]]


def main() -> None:
    """Serve until standard input ends."""
    for name in PACKAGES:
        list(walk_modules_iter(name))
    for name in MODULES:
        importlib.import_module(name)
    shipped_vectors()
    keyword_model(load_topic("finance"))  # reads the dictionary and the catalogue
    registered_domain("http://a.example/")  # reads the public suffixes
    gc.freeze()
    if "twisted.internet.reactor" in sys.modules:
        sys.exit("a module installs a reactor as it is imported")
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            become(json.loads(line))
            cmdline.execute()  # ends this process as it would end any other
        sys.stdout.write(f"{process}\n")
        sys.stdout.flush()
        _, status = os.waitpid(process, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
