"""`scrapy rate` as users run it: files out, files in, a terminal."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Visit
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """40 kept pages, 40 discarded ones; of the first twenty visits half are kept, then all even ones."""
    folder = tmp_path / "job"
    folder.mkdir()
    database = JobDatabase(folder / "job.sqlite")
    log, stores = VisitLog(database), [PageSample(database, 99), PageStore(database)]
    for number in range(80):
        url, kept = f"http://a.example/{number}", number % 2 == 0
        stores[kept].put(
            PageRecord(url=url, title=f"=题{number}", text="龙井茶叶", relevance=0.5, stored=kept)
        )
        log.append(Visit(url, 200, 1.0, 0.5, kept, float(number)))
    database.close()
    return folder


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))


def fill(file: Path, answer: Callable[[int], str]) -> None:
    """Answer by the number of the page."""
    lines = ["url,answer", *(f"{row['url']},{answer(int(row['url'].split('/')[-1]))}" for row in rows(file))]
    file.write_text("\n".join(lines), encoding="utf-8")


def test_raters_get_the_same_pages_in_other_orders_and_nothing_of_the_program(
    command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    call = ("rate", str(job), "--sample", "0.25", "--raters", "2", "--write", str(tmp_path / "out"))
    ran = command(*call)
    assert (ran.code, ran.err) == (0, "")
    first, second = (rows(tmp_path / "out" / f"rater-{number}.csv") for number in (1, 2))
    assert len(first) == 20
    assert sum(int(row["url"].split("/")[-1]) % 2 for row in first) == 10  # kept and discarded alike
    assert {row["url"] for row in first} == {row["url"] for row in second}
    assert [row["url"] for row in first] != [row["url"] for row in second]
    assert set(first[0]) == {"url", "title", "text", "answer"}
    assert first[0]["title"].startswith("'=题")
    assert "--write" in command(*call).err


def test_filled_in_files_give_agreement_precision_and_the_curve(
    command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command("rate", str(job), "--sample", "1", "--raters", "3", "--write", str(out))
    files = [out / f"rater-{number}.csv" for number in (1, 2, 3)]
    for file in files:  # all kept pages of the first half are about it, and none else
        fill(file, lambda number: "y" if number % 2 == 0 and number < 40 else "n")
    call = ("rate", str(job), "--sample", "1", "--read", *map(str, files))
    ran = command(*call)
    assert (ran.code, ran.err) == (0, "")
    assert [numbers(line) for line in ran.out.splitlines()[:4]] == [
        ["3", "80", "80", "80", "80"],
        ["80", "1.000"],
        ["0.500", "20", "40", "95", "0.352", "0.648"],
        ["0.000", "0", "40", "95", "0.000", "0.088"],
    ]
    found = json.loads(command(*call, "--json").out)
    assert found["curve"][4] == [40, 0.5]
    assert found["curve"][-1] == [80, 0.25]
    fill(files[0], lambda _: "n")
    fill(files[1], lambda _: "n")
    two = json.loads(command("rate", str(job), "--sample", "1", "--json", "--read", *map(str, files[:2])).out)
    assert (two["kappa"], two["kappa_of"], two["kept"]["share"]) == (None, "Cohen", 0.0)


def test_one_rater_in_a_terminal_goes_on_where_the_last_time_ended(
    command: Callable[..., Any], job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "me.csv"
    call = ("rate", str(job), "--sample", "0.05", "--rater", str(file))
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\nq\n"))
    assert command(*call).out.endswith(f"1 answers in {file}\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\nn\ns\n"))
    assert command(*call).out.endswith(f"3 answers in {file}\n")
    assert [row["answer"] for row in rows(file)] == ["y", "n", "n"]
