"""Counting on headlines: what each row of the table adds."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import runpy
import sys
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from unittest import mock

import pytest
from fastwarc.warc import WarcRecord, WarcRecordType

from topiccrawler.errors import LinksFileError

SCRIPT = Path(__file__).parents[2] / "benchmarks/headlines.py"
DAYS = ("今天", "昨天", "明天")


def ran(*arguments: object) -> str:
    """What the script prints, run in this process."""
    out = io.StringIO()
    with (
        mock.patch.object(sys, "argv", [str(SCRIPT), *map(str, arguments)]),
        mock.patch.object(sys, "path", [str(SCRIPT.parent), *sys.path]),
        mock.patch.dict(os.environ),
        contextlib.redirect_stdout(out),
    ):
        os.environ.pop("TOPICCRAWLER_SHARED", None)
        runpy.run_path(str(SCRIPT), run_name="__main__")
    return out.getvalue()


def scores(*arguments: object) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(ran(*arguments, "--json"))
    return found


def written(path: Path, rows: Sequence[tuple[str, str, str]]) -> Path:
    path.write_text("\n".join("\t".join(row) for row in [("label", "text", "source"), *rows]), "utf-8")
    return path


def test_sources_that_disagree_are_weighed_apart(tmp_path: Path) -> None:
    rng = random.Random(1)
    on, off, torn = ("基金", "股票", "债券"), ("足球", "电影", "酒店"), ("区块链", "房价", "奢侈品")
    rows = []
    for at in range(1_500):
        source, word = ("paper", "wire")[at % 2], rng.choice(rng.choice((on, off, torn)))
        positive = word in on or (word in torn and source == "wire")
        rows.append(("finance" if positive else "other", word + rng.choice(DAYS), source))
    found = scores(written(tmp_path / "h.tsv", rows))
    assert list(found) == ["words", "+ characters", "+ sources"]
    assert found["+ characters"]["best_f1"] < 0.9
    assert found["+ sources"]["f1"] == 1.0
    assert found["+ sources"]["samples"] == 500
    nameless = [(label, text, "") for label, text, _ in rows]
    assert list(scores(written(tmp_path / "n.tsv", nameless))) == ["words", "+ characters"]


def test_a_word_never_met_is_read_by_its_characters(tmp_path: Path) -> None:
    ends = ["".join(pair) for pair in permutations("abcdefgh", 2)]
    rows = [(side, start + end, "") for side, start in (("finance", "kx"), ("sport", "qw")) for end in ends]
    found = scores(written(tmp_path / "h.tsv", rows))
    assert found["+ characters"]["f1"] == 1.0
    assert found["words"]["best_f1"] < 0.7


def test_recorded_pages_show_which_words_are_used_alike(tmp_path: Path) -> None:
    rng = random.Random(7)
    nouns = {"finance": ("基金", "股票", "债券"), "sport": ("足球", "篮球", "排球")}
    around = {"finance": ("投资", "收益", "银行", "市场"), "sport": ("比赛", "冠军", "教练", "球员")}
    web = tmp_path / "web.warc"
    with web.open("wb") as file:
        page = WarcRecord()
        page.init_headers(WarcRecordType.response)
        page.headers["WARC-Target-URI"] = "http://a.example/"
        page.headers["Content-Type"] = "application/http; msgtype=response"
        text = "。".join(
            f"{rng.choice(around[side])} {rng.choice(nouns[side])} {rng.choice(around[side])} 第{at}号"
            for at in range(800)
            for side in nouns
        )
        page.set_bytes_content(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}".encode())
        page.write(file)
    rows = [
        (side, word + rng.choice(DAYS), source)
        for side, words in nouns.items()
        for word in words
        for source in ("paper", "wire")
        for _ in range(60)
    ]
    found = scores(written(tmp_path / "h.tsv", rows), "--pages", web)
    assert list(found) == ["words", "+ characters", "+ sources", "+ like words"]
    assert found["+ like words"]["f1"] == 1.0


def test_without_a_file_nothing_is_measured() -> None:
    assert "nothing measured" in ran()


def test_a_file_that_holds_no_headlines_is_named(tmp_path: Path) -> None:
    (tmp_path / "h.tsv").write_text("label\tname\n", encoding="utf-8")
    with pytest.raises(LinksFileError, match=r"h\.tsv, line 1: .*\blabel\b.*\btext\b"):
        ran(tmp_path / "h.tsv")
