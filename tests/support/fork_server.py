"""A process that has loaded what a crawl needs, and forks for each command line it is given: most of a short crawl's time
goes into that. Run by forked_scrapy.py; it has one thread and no reactor, so that forking it is safe.

A request is one line of JSON: words (behind `scrapy`, or a program and its arguments), environment, folder, out, err (files), constants (module.NAME: value). A line of
answer is the id of a process that has begun; with its exit code behind it, of one that has ended. Several may run at once.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import sys
import threading
from pathlib import Path

from scrapy import cmdline
from scrapy.utils.misc import walk_modules_iter

from topiccrawler.link_model import from_keywords
from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.text.word_vectors import shipped_vectors
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.proposed_words import proposed
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
    "scrapy.extensions.remote_control",
    "scrapy.extensions.telnet",
    "scrapy.extensions.throttle",
    "scrapy.core.downloader.handlers.datauri",
    "scrapy.core.downloader.handlers.ftp",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "topiccrawler.addon",
    "topiccrawler.engine.control.extension",
    "topiccrawler.engine.control.verbs",
    "topiccrawler.engine.ending",
    "topiccrawler.engine.pipelines",
    "topiccrawler.engine.progress",
    "topiccrawler.engine.archives",
    "topiccrawler.engine.scheduler",
    "topiccrawler.spiders.links",
    "topiccrawler.spiders.topic",
    "topiccrawler.results.job_pages",
    "topiccrawler.results.summary",
    "topiccrawler.strategies.adaptive",
    "topiccrawler.strategies.baselines",
    "tqdm",
)


def become(request: dict[str, object]) -> None:
    """Run in the environment, folder and streams of the request."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    os.chdir(request["folder"])
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["out"], os.O_WRONLY | os.O_CREAT | os.O_APPEND),
        (2, request["err"], os.O_WRONLY | os.O_CREAT | os.O_APPEND),
    ):
        os.dup2(os.open(path, flags), number)
    for constant, value in request["constants"].items():
        module, _, name = constant.rpartition(".")
        held = importlib.import_module(module)
        assert hasattr(held, name), constant
        setattr(held, name, value)
    words = request["words"]
    if words and words[0].endswith(".py"):
        sys.argv = list(words)
        sys.path[0] = str(Path(words[0]).parent)
        runpy.run_path(words[0], run_name="__main__")
        sys.exit()
    sys.argv = ["scrapy", *words]
    cmdline.execute()


def leave(end: SystemExit) -> None:
    """End as an interpreter does, but leave all memory to the system: to free what was inherited means to copy it first."""
    threading._shutdown()
    atexit._run_exitfuncs()
    if isinstance(end.code, str):
        sys.stderr.write(f"{end.code}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))


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


def keep_loaded(topic: str) -> None:
    """Load this shipped link model once: that is half of a short crawl's time."""
    load, model = from_keywords.load_model, from_keywords.load_model(topic)
    from_keywords.load_model = lambda name, folder=None, segmenter=PLAIN, **given: (
        model.cut_by(segmenter)
        if name == topic and folder is None
        else load(name, folder, segmenter, **given)
    )


def load() -> None:
    """All that a crawl begins with."""
    gc.disable()  # what is imported stays
    for name in PACKAGES:
        list(walk_modules_iter(name))
    for name in MODULES:
        importlib.import_module(name)
    shipped_vectors()
    proposed({"黄金": 1.0})  # reads the dictionary and the catalogue
    keyword_model(load_topic("finance"))
    keep_loaded("finance")
    registered_domain("http://a.example/")  # reads the public suffixes
    gc.freeze()
    gc.enable()
    if "twisted.internet.reactor" in sys.modules:
        sys.exit("a module installs a reactor as it is imported")


def run(line: bytes) -> None:
    """What a fork does."""
    try:
        become(json.loads(line))
    except SystemExit as end:
        leave(end)


def main() -> None:
    """Serve until standard input ends."""
    load()
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
                run(line)
            tell(process)


if __name__ == "__main__":
    main()
