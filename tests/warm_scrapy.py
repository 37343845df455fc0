"""A process that has loaded what a crawl needs, and forks for each command line it is given: most of a short crawl's time
goes into that. Run by warm.py; it has one thread and no reactor, so that forking it is safe.

A request is one line of JSON: words (behind `scrapy`, or a program and its arguments), environment, folder, out, err (files). A line of
answer is the id of a process that has begun; with its exit code behind it, of one that has ended. Several may run at once.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import select
import signal
import sys
from pathlib import Path

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
    "topiccrawler.engine.archives",
    "topiccrawler.engine.scheduler",
    "topiccrawler.spiders.links",
    "topiccrawler.spiders.topic",
    "topiccrawler.strategies.adaptive",
)


def become(request: dict[str, object]) -> None:
    """Take on what a new process would have been given, and run; it ends as any other would."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["out"], os.O_WRONLY | os.O_CREAT),
        (2, request["err"], os.O_WRONLY | os.O_CREAT),
    ):
        os.dup2(os.open(path, flags), number)
    words = request["words"]
    if words and words[0].endswith(".py"):
        sys.argv = list(words)
        sys.path[0] = str(Path(words[0]).parent)
        runpy.run_path(words[0], run_name="__main__")
        sys.exit()
    sys.argv = ["scrapy", *words]
    cmdline.execute()


def tell(*numbers: int) -> None:
    """One line of answer."""
    sys.stdout.write(f"{' '.join(map(str, numbers))}\n")
    sys.stdout.flush()


def bury() -> None:
    """Tell of each process that has ended."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
        tell(process, os.waitstatus_to_exitcode(status))


def main() -> None:
    """Serve until standard input ends."""
    gc.disable()  # what is imported stays
    for name in PACKAGES:
        list(walk_modules_iter(name))
    for name in MODULES:
        importlib.import_module(name)
    shipped_vectors()
    keyword_model(load_topic("finance"))  # reads the dictionary and the catalogue
    registered_domain("http://a.example/")  # reads the public suffixes
    gc.freeze()
    gc.enable()
    if "twisted.internet.reactor" in sys.modules:
        sys.exit("a module installs a reactor as it is imported")
    ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    requests = b""
    while True:
        ready = select.select([0, ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            bury()
        if 0 not in ready:
            continue
        if not (piece := os.read(0, 1 << 16)):
            return
        *lines, requests = (requests + piece).split(b"\n")
        for line in lines:
            process = os.fork()
            if process == 0:
                become(json.loads(line))
            tell(process)


if __name__ == "__main__":
    main()
