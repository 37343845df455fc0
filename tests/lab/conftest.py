"""Recorded webs: one drawn as a dictionary, one that is the demo's."""

import fcntl
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import synthetic_web as synthetic_web_file

from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.replay.warc_writing import write_web

TOPIC = """
name = "tea"
zh = "茶"
page_threshold = 0.2
narrow = false
proposed_words = 0
seeds = ["http://a.example/"]
[keywords]
"茶叶" = 1.0
"绿茶" = 1.0
"""


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """`record({url: html})`: the path of a WARC file. A value may be (status line, headers, body)."""

    def write(pages: Mapping[str, object], name: str = "web.warc") -> Path:
        path = tmp_path / name
        write_web(path, ((url, *answered(page)) for url, page in pages.items()))
        return path

    def answered(page: object) -> tuple[int, list[tuple[str, str]], bytes]:
        status, headers, html = page if isinstance(page, tuple) else ("200 OK", {}, page)
        fields = {"Content-Type": "text/html; charset=utf-8", **headers}
        return int(status.split()[0]), list(fields.items()), str(html).encode()

    return write


@pytest.fixture
def recorded(record: Callable[..., Path]) -> Callable[..., RecordedPages]:
    """The same, opened: its pages as numbers."""
    return lambda pages: RecordedPages(RecordedWeb([record(pages)]))


@pytest.fixture(scope="session")
def synthetic_web(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The demo's web, recorded: its WARC file and its labels; read only. One recording for all workers of pytest-xdist."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    recorded = folder / "synthetic" / "pages.warc", folder / "synthetic" / "labels.tsv"
    with (folder / "synthetic.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        if not recorded[0].exists():
            recorded[0].parent.mkdir()
            synthetic_web_file.record(Web(1), recorded[0].parent)
    return recorded


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    """A topic file."""
    path = tmp_path / "tea.toml"
    path.write_text(TOPIC, encoding="utf-8")
    return path
