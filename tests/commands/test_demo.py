"""`scrapy demo` from start to end, as a subprocess that trains on fewer pages."""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from errno import EADDRINUSE
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.lab.demo import tour
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SHORT = """
from scrapy.cmdline import execute
from topiccrawler.lab.demo import tour

tour.TRAINING_PAGES = 150  # of 1 000: most of the time goes there
execute()
"""


def test_the_demo_trains_crawls_beats_breadth_first_and_says_what_to_type(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    arguments = ["demo", "--pages", "150", "--seed", "1", "--out", str(out)]
    ran = subprocess.run(
        [sys.executable, "-c", SHORT, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines(keepends=True)
    pages, focused, _, breadth_first, _ = next(line for line in lines if line.startswith("    150")).split()
    assert pages == "150"
    assert int(focused) >= 2.5 * int(breadth_first)
    assert [line[:2] for line in lines if line[:1].isdigit()] == ["1.", "2.", "3.", "4."]
    typed = next(line.split() for line in lines if line.endswith("politely\n"))
    assert subprocess.run([*typed[: typed.index("crawl")], "version"], cwd=ROOT, check=False).returncode == 0
    ratio = int(focused) / int(breadth_first)
    assert re.search(rf"adaptive \D+{ratio:.1f} \D+breadth_first\b", ran.stdout)
    for file in (
        "adaptive.jsonl",
        "models/finance.json.zst",
    ):
        assert (out / file).stat().st_size > 0
        assert str(out / file) in ran.stdout
    assert f"pages {out / 'adaptive'} log" in ran.stdout
    with closing(sqlite3.connect(out / "adaptive" / "job.sqlite")) as store:
        [counts] = store.execute("SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM visits)")
    kept, fetched = counts
    assert kept >= 75
    assert fetched >= 150


def test_a_port_that_is_in_use_is_refused_in_one_line(command: Callable[..., Any]) -> None:
    with RunningServer(Web()) as server:
        port = server.server_address[1]
        done = command("demo", "--serve", str(port))
    assert (done.code, done.out) == (1, "")
    assert re.fullmatch(f"--serve {port}: .*{os.strerror(EADDRINUSE)}.*\n", done.err)


@pytest.mark.parametrize(
    ("argv", "path", "typed"),
    [
        (".venv/bin/scrapy", "/nowhere", ".venv/bin/scrapy"),
        ("bin/scrapy", "bin", "scrapy"),
        ("/site/scrapy/__main__.py", "bin", f"{sys.executable} -m scrapy"),
    ],
)
def test_what_to_type_next_works_in_the_shell_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, argv: str, path: str, typed: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "scrapy").touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / path))
    monkeypatch.setattr(sys, "argv", [argv])
    assert tour._scrapy() == typed
