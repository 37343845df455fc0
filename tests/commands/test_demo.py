"""`scrapy demo` from start to end, as a subprocess that trains on fewer pages."""

import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from errno import EADDRINUSE
from pathlib import Path
from typing import IO, Any

import pytest

from topiccrawler.lab.demo import tour
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer
from topiccrawler.lab.demo.tour import harvest, table, times_as_good
from topiccrawler.lab.measures import Curve

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SHORT = """
from scrapy.cmdline import execute
from topiccrawler.lab.demo import tour

tour.TRAINING_PAGES = 150  # of 1 000: most of the time goes there
execute()
"""


def _until(stream: IO[str], mark: str) -> list[str]:
    """Lines up to the one that holds `mark`, or to the end."""
    lines = []
    for line in stream:
        lines.append(line)
        if mark in line:
            break
    return lines


def test_the_demo_trains_crawls_beats_breadth_first_and_then_serves_on(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    with (tmp_path / "errors").open("w+", encoding="utf-8") as errors:
        arguments = ["demo", "--pages", "150", "--seed", "1", "--out", str(out), "--keep"]
        running = subprocess.Popen(
            [sys.executable, "-c", SHORT, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONWARNINGS": ""},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            # a shell that starts the tests in the background has its children ignore Ctrl-C
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        )
        try:
            assert running.stdout is not None
            lines = _until(running.stdout, "http_proxy=")
            proxy = lines[-1].split()[0].removeprefix("http_proxy=")
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
            with opener.open("http://finance.yunting.example/", timeout=20) as reply:
                assert "财经" in reply.read().decode()
            running.send_signal(signal.SIGINT)
            assert running.wait(30) == 0
        finally:
            running.kill()
            running.communicate()
        errors.seek(0)
        assert errors.read() == ""
    shown = "".join(lines)
    result = json.loads((out / "comparison.json").read_text(encoding="utf-8"))
    assert result["ratio"] >= 2.5
    assert {name: found["pages"] for name, found in result["strategies"].items()} == {
        "naive_bayes": 150,
        "breadth_first": 150,
    }
    assert list(result["strategies"]["naive_bayes"]["harvest_rate"]) == ["100", "150"]
    assert [line[:2] for line in lines if line[:1].isdigit()] == ["1.", "2.", "3.", "4."]
    assert any(
        line.split()[:2] == ["150", str(result["strategies"]["naive_bayes"]["on_topic"])] for line in lines
    )
    typed = next(line.split() for line in lines if line.endswith("politely\n"))
    assert subprocess.run([*typed[: typed.index("crawl")], "version"], cwd=ROOT, check=False).returncode == 0
    assert re.search(rf"naive_bayes \D+{result['ratio']:.1f} \D+breadth_first\b", shown)
    for file in (
        "naive_bayes/pages.sqlite",
        "naive_bayes/visits.jsonl",
        "naive_bayes.jsonl",
        "models/finance.json",
    ):
        assert (out / file).stat().st_size > 0
        assert str(out / file) in shown
    with sqlite3.connect(out / "naive_bayes" / "pages.sqlite") as store:
        kept = store.execute("SELECT count(*) FROM pages").fetchone()[0]
    store.close()
    assert kept >= 75
    assert len((out / "naive_bayes" / "visits.jsonl").read_text(encoding="utf-8").splitlines()) >= 150


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["--pages", "0"], 2, "--pages 0"),
        (["--serve", "65536"], 2, "--serve 65536: give a number from 0 to 65535"),
        (["finance"], 2, "finance: unknown argument"),
        (["--nope"], 2, "unknown option --nope"),
    ],
)
def test_wrong_arguments_end_with_a_line_and_no_traceback(
    command: Callable[..., Any], given: list[str], code: int, said: str
) -> None:
    done = command("demo", *given)
    assert done.code == code
    assert said in done.out + done.err
    assert "Traceback" not in done.err


def test_a_port_that_is_in_use_is_refused_in_one_line(command: Callable[..., Any]) -> None:
    with RunningServer(Web()) as server:
        port = server.server_address[1]
        done = command("demo", "--serve", str(port))
    assert (done.code, done.out) == (1, "")
    assert re.fullmatch(f"--serve {port}: .*{os.strerror(EADDRINUSE)}.*\n", done.err)


def test_a_folder_that_holds_something_else_is_refused_in_one_line(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    done = command("demo", "--out", str(tmp_path))
    assert done.code == 1
    assert done.out == ""
    assert re.fullmatch(f"--out {re.escape(str(tmp_path))}: .*\n", done.err)


def test_pages_count_in_order_and_what_is_no_page_does_not() -> None:
    urls = [
        "http://daohang.example/",
        "http://finance.yunting.example/",
        "http://finance.yunting.example/gone.html",
        "http://sport.yunting.example/",
        "http://www.qianzhuang.example/",
    ]
    found = harvest(Web(), urls)
    assert found.counts == (0, 1, 1, 2)


def test_two_crawls_are_set_side_by_side_over_the_pages_both_fetched() -> None:
    focused = Curve.of((True, True, True, False, True, True))
    assert times_as_good(focused, Curve.of((False, True, False, False))) == 3.0
    assert times_as_good(focused, Curve.of((False, False))) == math.inf
    assert times_as_good(Curve.of((False,)), Curve.of((False,))) == 1.0


def test_the_table_shows_pages_found_and_rate_at_each_step() -> None:
    lines = table({"ours": Curve.of((True,) * 5), "theirs": Curve.of((False, True, False))}, step=2)
    assert [line.split() for line in lines] == [
        ["pages", "ours", "theirs"],
        ["2", "2", "100.0%", "1", "50.0%"],
        ["4", "4", "100.0%", "1", "33.3%"],
        ["5", "5", "100.0%", "-"],
    ]


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
