"""The benchmark of patience crawls a recorded web and tells each row's figures by topic, delay and time."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks/patience.py"


@pytest.mark.slow
def test_rows_steps_topics_and_times_of_one_run(
    record: Callable[..., Path], tea: Path, tmp_path: Path
) -> None:
    good = {f"http://good.example/{number}": "<title>绿茶</title>茶叶 绿茶" for number in range(3)}
    poor = {f"http://poor{number}.example/": "<title>钢铁</title>钢铁" for number in range(9)}
    links = "".join(f'<a href="{url}">{url}</a>' for url in (*poor, *good))
    web = record({"http://a.example/": f"<title>茶</title>{links}", **good, **poor})
    labels = tmp_path / "labels.tsv"
    labels.write_text(
        "#url\ttopics\thow\tkind\n" + "".join(f"{url}\ttea,travel\tsite\tcontent\n" for url in good),
        encoding="utf-8",
    )
    words = ["--web", web, "--labels", labels, "--topics", f"{tea},travel", "--seeds", "http://a.example/"]
    words += ["--delays", "1", "--seconds", "2,60", "--repeat", "1", "--jobs", "1", "--slots", "2", "--json"]
    argv = [str(SCRIPT), *map(str, words), "--steps", "0.5:0.25,1:0.5:3"]
    out = io.StringIO()
    path = [str(SCRIPT.parent), *sys.path]  # as for a script
    with (
        mock.patch.object(sys, "argv", argv),
        mock.patch.object(sys, "path", path),
        contextlib.redirect_stdout(out),
    ):
        runpy.run_path(str(SCRIPT), run_name="__main__")
    found = json.loads(out.getvalue().splitlines()[-1])
    assert list(found) == [
        f"{topic}, 1 s a host, {seconds} s" for seconds in (2, 60) for topic in ("tea", "travel", "mean")
    ]
    rows = found["tea, 1 s a host, 60 s"]
    assert list(rows) == [
        "no patience", "time", "fetches", "breadth-first", "all known", "0.5:0.25", "1:0.5:3",
    ]  # fmt: skip
    assert rows.pop("all known") == {"hourly": 180.0, "harvest": 1.0, "of_best": 1.0, "times": 1.0}
    # one host, asked once a second, answers in 0.4 to 1.2: two slots begin before two seconds, at 0 and at 1 or a little later
    assert found["tea, 1 s a host, 2 s"]["all known"]["hourly"] == 2 * 3600 / 2
    for row in rows.values():  # all was fetched: 13 pages, 3 of them relevant
        assert row == {"hourly": 180.0, "harvest": 3 / 13, "of_best": 1.0, "times": 1.0}
    mean = found["mean, 1 s a host, 2 s"]["time"]["harvest"]
    assert (
        mean == sum(found[f"{topic}, 1 s a host, 2 s"]["time"]["harvest"] for topic in ("tea", "travel")) / 2
    )
