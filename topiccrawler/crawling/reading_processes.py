"""Reads pages in separate processes, "readers" (TOPIC_READERS).

So a crawl uses several cores, and a page that crashes or blocks a parser only costs a reader.

`ReadingProcesses` uses the process pool of pebble, because it has a time limit for each task and loses only one task with a process. The
processes are those of loky, because they do not run the caller's main module again. A page that takes longer than `seconds`, needs more
than MEMORY_BYTES or ends its reader twice is unreadable, and no other page is lost. If an idle reader dies, the pool breaks: the pages in
progress are read by the next pool.

`AutoStart` decides when readers are started (`auto`): when the main process is busy and cores are idle, both over WATCHED_SECONDS. Then
they stay. On a single core they are never started.

The results of a reader are pickled, like all that multiprocessing sends. They are trusted like the crawl's own process, so this is no
sandbox.

A reader ends when its parent does: it checks each second, and the kernel limits the CPU time of a reader that is blocked by a page.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from loky.backend.context import LokyContext
from pebble import ProcessExpired, ProcessPool

from topiccrawler.crawling.contents import Answer, ContentPacker, ContentPlan, Read, unpacked, unreadable
from topiccrawler.pages.formats.registry import recognise
from topiccrawler.pages.read import Content, ContentReader
from topiccrawler.text.engines import choice
from topiccrawler.text.segmenter import choose_engine, release_dictionary

logger = logging.getLogger(__name__)

MOST_AUTO = 2  # more are of no use: reading takes less time than all else, which one process does
SECONDS = 10.0  # time limit for one page
MEMORY_BYTES = 1_500_000_000  # limit of a reader's address space
WATCHED_SECONDS = 5.0
BUSY = 0.8  # share of a core that a busy main process uses
IDLE = 0.5  # least number of idle cores
MOST_EXPIRED = 2  # readers that one page may end
MOST_BROKEN = 5  # consecutive pools that break without reading a page; then the main process reads
LOOK_SECONDS = 1.0  # interval between two checks for the parent
PIPE_BYTES = 1 << 20
SWITCH_SECONDS = 0.001  # of Python's threads, so that the pool's threads send pages while the crawl computes
LONGEST_FAULT = 300  # characters
SLACK_SECONDS = 10.0  # time for a reader to start, or to be stopped
TOO_LONG, ENDED = "took too long", "ended its reader: too much memory or CPU"


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def auto_readers(available: int) -> int:
    """The number of readers for a number of available cores; one core is left to the crawl itself."""
    return min(available - 1, MOST_AUTO)


class AutoStart:
    """Decides whether the crawl would gain by readers. It is called for each page, and measures at most every WATCHED_SECONDS.

    `cpu_seconds`: returns the CPU time of this process so far. `load`: returns the number of running or runnable processes on the machine.
    """

    def __init__(
        self,
        available: int,
        *,
        now: Callable[[], float] = time.monotonic,
        cpu_seconds: Callable[[], float] = time.process_time,
        load: Callable[[], float] = lambda: os.getloadavg()[0],
    ) -> None:
        self._available = available
        self._now, self._cpu_seconds, self._load = now, cpu_seconds, load
        self._since, self._cpu_then = now(), cpu_seconds()

    def __call__(self) -> bool:
        """Whether this process is busy and cores are idle, by a measurement that was due now."""
        now = self._now()
        if auto_readers(self._available) == 0 or now - self._since < WATCHED_SECONDS:
            return False
        cpu = self._cpu_seconds()
        is_busy = cpu - self._cpu_then >= BUSY * (now - self._since)
        self._since, self._cpu_then = now, cpu
        return is_busy and self._available - self._load() >= IDLE


class ReadsPages(Protocol):
    """A crawl that reads pages."""

    @property
    def content_plan(self) -> ContentPlan:
        """The present plan, by which readers read; replaced when the topic changes."""

    @property
    def reader(self) -> ContentReader:
        """The present reader, which reads by the same plan in this process."""


class ReadingProcesses:
    """A pool of at most `count` readers.

    It is started with the first page for which `wanted` returns true; None = with the first page. `seconds`: time limit for one page.
    """

    def __init__(
        self,
        crawl: ReadsPages,
        count: int,
        seconds: float = SECONDS,
        wanted: Callable[[], bool] | None = None,
    ) -> None:
        self.count, self.seconds = count, seconds
        self._crawl, self._wanted = crawl, wanted
        self._pool: ProcessPool | None = None
        self._plan: ContentPlan | None = None
        self._sent: _SentPlan | None = None
        self._submitted: set[Future[tuple[bytes, str]]] = set()
        self._broken = 0  # number of consecutive pools that broke

    @property
    def is_running(self) -> bool:
        """Whether readers have been started."""
        return self._pool is not None

    async def read(self, answer: Answer) -> Read | None:
        """Let a reader read a response by the present plan of the crawl; None = the caller must read it in its own process."""
        expired = 0
        while self._is_wanted():
            plan = self._crawl.content_plan
            try:
                pool = self._pool_for(plan)
            except OSError as why:
                logger.warning("Pages are read in the crawl's own process: no reader can begin: %s", why)
                self._broken = MOST_BROKEN
                continue
            try:
                sent, fault = await self._result(pool, answer)
            except TimeoutError:
                sent, fault = b"", TOO_LONG
            except ProcessExpired:
                expired += 1
                if expired < MOST_EXPIRED:
                    continue
                sent, fault = b"", ENDED
            except (BrokenProcessPool, CancelledError, RuntimeError, OSError) as broken:
                self._replace(pool, broken)
                continue
            self._broken = 0
            content = _lost(answer, fault) if fault else unpacked(sent, answer, self._crawl.reader, plan)
            return Read(answer, plan, content)
        return None

    def _is_wanted(self) -> bool:
        if self._wanted is not None and self._wanted():
            self._wanted = None
        return self._wanted is None and self._broken < MOST_BROKEN

    def _replace(self, pool: ProcessPool, broken: Exception) -> None:
        """Close a broken pool, when the first of its pages finds it broken."""
        if pool is not self._pool:
            return
        logger.debug("The readers broke: %r", broken)
        self.close()
        self._broken += 1
        if self._broken == MOST_BROKEN:
            logger.warning("Pages are read in the crawl's own process from now on: its readers break")

    async def _result(self, pool: ProcessPool, answer: Answer) -> tuple[bytes, str]:
        """The result of a reader: packed content and fault.

        Raises CancelledError if the pool was closed, or has not responded for longer than all its pages may take.
        """
        submitted: Future[tuple[bytes, str]] = pool.schedule(_read, args=(answer,), timeout=self.seconds)
        self._submitted.add(submitted)
        try:
            waiting = asyncio.wrap_future(submitted)
            bound = (self.seconds + SLACK_SECONDS) * (1 + len(self._submitted))
            done, _ = await asyncio.wait({waiting}, timeout=bound)
            if not done or waiting.cancelled():
                raise CancelledError
            return waiting.result()
        finally:
            self._submitted.discard(submitted)

    def _pool_for(self, plan: ContentPlan) -> ProcessPool:
        if self._pool is not None and self._plan is not plan:
            self.close()  # the topic has changed: pages in progress are read again, by the new plan
        if self._pool is None:
            if self._plan is None:
                logger.info("Pages are read in %d processes of their own", self.count)
                sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))
                atexit.register(self.close, wait=True)
            self._sent = _SentPlan(plan)
            arguments = self._sent.argument, self.seconds, os.getpid(), choice()
            self._pool = ProcessPool(self.count, initializer=_begin, initargs=arguments, context=_Context())
            self._plan = plan
        return self._pool

    def close(self, *, wait: bool = False) -> None:
        """End the readers; a later page starts new ones. `wait`: block until they have ended."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        for submitted in self._submitted:
            submitted.cancel()
        ending = threading.Thread(target=_end, args=(pool, self._sent))
        ending.start()
        if wait:
            ending.join()
            atexit.unregister(self.close)


def _lost(answer: Answer, fault: str) -> Content:
    return unreadable(answer, recognise(answer.body, answer.content_type), fault)


class _Context(LokyContext):  # type: ignore[misc]
    """Processes whose pipes hold several pages, so that neither side waits for the other to read, nor for the interpreter's lock."""

    def Pipe(self, duplex: bool = True) -> tuple[Connection, Connection]:  # noqa: N802
        """A pipe as in multiprocessing, with a larger buffer where the system allows it."""
        ends: tuple[Connection, Connection] = super().Pipe(duplex)
        # Only Linux can do this; there is also a limit for all pipes of a user.
        with suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(ends[1].fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        return ends


class _SentPlan:
    """A plan for readers to load.

    Megabytes in the arguments of a start would block the pool until the reader has imported all it needs. So the plan is in an anonymous
    file in memory (Linux; elsewhere it is an argument), of which nothing is left however the process ends.
    """

    def __init__(self, plan: ContentPlan) -> None:
        try:
            text = pickle.dumps(plan)
        except (
            pickle.PicklingError,
            TypeError,
            AttributeError,
        ):  # a model of another package may not be picklable
            text = pickle.dumps(replace(plan, page_classifier=None, link_model=None))
        self._memory = os.memfd_create("plan") if hasattr(os, "memfd_create") else None
        self.argument: bytes | str = text
        if self._memory is not None:
            with os.fdopen(os.dup(self._memory), "wb") as file:
                file.write(text)
            self.argument = f"/proc/{os.getpid()}/fd/{self._memory}"

    @staticmethod
    def loaded(argument: bytes | str) -> ContentPlan:
        """The plan, loaded in a reader from the argument of its start."""
        text = argument if isinstance(argument, bytes) else Path(argument).read_bytes()
        plan: ContentPlan = pickle.loads(text)  # noqa: S301 made by our own process
        return plan

    def close(self) -> None:
        """Release the memory; no reader can start any more."""
        if self._memory is not None:
            os.close(self._memory)


def _end(pool: ProcessPool, plan: _SentPlan | None) -> None:
    with suppress(Exception):  # a broken pool may raise any
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()
    if plan is not None:
        plan.close()


# --- in a reader

_packers: list[tuple[ContentPacker, float]] = []


def _begin(plan: bytes | str, seconds: float, parent: int, engine: str) -> None:
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    logging.disable()
    warnings.simplefilter("ignore")
    with suppress(ImportError, ValueError, OSError):  # no limits on this system, or narrower ones already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    choose_engine(engine)
    packer = ContentPacker(_SentPlan.loaded(plan))
    segmenter = packer.reader.segmenter
    segmenter.words("中国")  # loads the segmenter before the time limit of a page applies
    if segmenter.has_own_dictionary:
        release_dictionary()
    _packers[:] = [(packer, seconds)]


def _read(answer: Answer) -> tuple[bytes, str]:
    """Read a response in a reader: the packed content, or the fault."""
    packer, seconds = _packers[0]
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + 2 * seconds) + 1, hard))
    try:
        return packer.packed(answer), ""
    except Exception as fault:  # noqa: BLE001 whatever a hostile page brings about: it costs this page
        return b"", f"{type(fault).__name__}: {fault}"[:LONGEST_FAULT]


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
