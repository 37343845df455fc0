"""`scrapy pages` on jobs that crawls have left."""

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from message_facts import count_and_place, numbers

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.store.html import HtmlFile
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord

ROOT = Path(__file__).parents[2]
SEED = "http://a.cn/"
FUND = PageRecord(
    url="http://a.cn/%E5%9F%BA",
    title="基金\u202eevil\x1b[31m",
    text="基金净值与股票。\n收益",
    topic="finance",
    relevance=0.5,
    source_url=SEED,
    anchor="基金",
    score=2.5,
    kind="article",
    published="2024-05-01",
)
BANK = PageRecord(
    url="http://www.b.cn/x.pdf", title="A" * 1_000_000, relevance=0.9, topic="finance", format="pdf"
)
COPY = PageRecord(url="http://c.cn/", title="copy", relevance=0.1, topic="finance", alias_of=FUND.url)


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    seed = Visit(SEED, 200, 20.0, 0.1, stored=False, time=1.0)
    return make_job("funds", FUND, BANK, COPY, visits=(seed,))


def test_pages_are_listed_best_first_and_hostile_titles_are_inert(
    command: Callable[..., Any], job: Path
) -> None:
    ran = command("pages", str(job))
    best, address, second, *_ = ran.out.splitlines()
    assert ran.code == 0
    assert best.startswith("0.900  1970-01-01* AAA")
    assert best.endswith("…  [pdf]")
    assert len(best) < 150
    assert address.strip() == BANK.url
    assert second == "0.500  2024-05-01  基金\\u202eevil\\u001b[31m"
    assert re.search(rf"\(.* {re.escape(FUND.url[:12])}", ran.out)
    assert "\n* the day it was fetched: the page names none\n" in ran.out


@pytest.mark.slow
def test_the_list_is_filtered_and_json_for_a_script(command: Callable[..., Any], job: Path) -> None:
    ran = command(
        "pages", "funds", "list", "--since", "2024-01-01", "--json", "-s", f"TOPIC_DATA_DIR={job.parent}"
    )
    (found,) = map(json.loads, ran.out.splitlines())
    assert (found["url"], found["relevance"], found["date"]) == (FUND.url, 0.5, "2024-05-01")
    assert len(command("pages", str(job), "--limit", "1", "--json").out.splitlines()) == 1
    for options in (("--site", "b.cn"), ("--file-type", "pdf"), ("--min-relevance", "0.6")):
        assert BANK.url in command("pages", str(job), *options).out
        assert FUND.url not in command("pages", str(job), *options, "--json").out
    assert "http" not in command("pages", str(job), "--site", "d.cn").out


def test_a_page_is_displayed_with_its_text_and_why_it_was_kept(
    command: Callable[..., Any], job: Path
) -> None:
    printed = command("pages", str(job / "job.sqlite"), "show", "http://a.cn/基").out
    assert "kept: relevance 0.500 >= " in printed
    assert "股票 +" in printed
    assert ":\n  http://a.cn/  score 20.000\n  http://a.cn/基  “基金”  score 2.500" in printed
    assert printed.endswith("\n\n基金净值与股票。\n收益\n")
    found = json.loads(command("pages", str(job), "show", FUND.url, "--json").out)
    assert (found["text"], [step["url"] for step in found["path"]]) == (FUND.text, [SEED, FUND.url])
    (job / "job.json").unlink()  # then the words cannot be told
    assert re.search(r"\b0\.500 .*\bfinance$", command("pages", str(job), "show", FUND.url).out, re.MULTILINE)


def test_a_file_of_no_known_format_is_named_with_those_that_are(
    command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    ran = command("pages", str(job), "export", "--out", str(tmp_path / "x.tsv"))
    endings = ".jsonl, .csv, .parquet, .graphml, .wacz, .md"
    assert re.match(
        f"--out {re.escape(str(tmp_path / 'x.tsv'))}: .*{re.escape(endings)}.* --format\n$", ran.err
    )


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
def test_an_export_into_a_closed_pipe_or_onto_a_full_disk_is_no_traceback(job: Path, form: str) -> None:
    call = [sys.executable, "-m", "scrapy", "pages", str(job), "export", "--format", form]
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as closed, Path("/dev/full").open("wb") as full:
        ran = [
            subprocess.run(call, check=False, cwd=ROOT, stdout=out, stderr=subprocess.PIPE)
            for out in (closed, full)
        ]
    assert (ran[0].returncode, ran[0].stderr) == (0, b"")
    assert ran[1].returncode == 1
    assert re.fullmatch(r"standard output: .*No space left on device; .*\n", ran[1].stderr.decode())


def test_pages_are_exported_best_first_and_a_file_is_whole_or_not_there(
    command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pages.jsonl"
    printed = command("pages", str(job), "export", "--out", str(out)).out
    assert count_and_place(printed) == (3, str(out))
    urls = [json.loads(line)["url"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert urls == [BANK.url, FUND.url, COPY.url]
    to_the_screen = command("pages", str(job), "export", "--format", "csv", "--site", "a.cn").out
    assert to_the_screen.startswith("\ufeffurl,title")
    assert FUND.url in to_the_screen
    missing = command("pages", str(job), "export", "--out", str(tmp_path / "no" / "pages.csv"))
    assert (missing.code, missing.err.count("\n")) == (1, 1)
    assert list(tmp_path.glob(".*")) == []


def test_markdown_has_the_structure_that_was_kept_and_says_once_where_none_was(
    command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    plain = command("pages", str(job), "export", "--format", "markdown", "--with-text")
    head = '---\ntitle: "基金\u202eevil[31m"\nurl: "http://a.cn/%E5%9F%BA"\nkind: "article"\ndate: 2024-05-01\nscore: 0.5\n---\n\n# 基金\u202eevil[31m\n\n'
    assert plain.out == f"{head}基金净值与股票。\n\n收益\n\n"
    assert re.match("1 .*TOPIC_KEEP_HTML", plain.err)
    html = HtmlFile(job / JOB_DATABASE)
    html.put(FUND.url, "<p>基金净值与股票。</p><h2>收益</h2>".encode("gb18030"), 1.0)
    html.close()
    out = tmp_path / "pages.md.gz"
    printed = command("pages", str(job), "export", "--out", str(out)).out
    assert count_and_place(printed) == (3, str(out))
    assert f"{head}基金净值与股票。\n\n## 收益\n\n" in gzip.decompress(out.read_bytes()).decode()
    assert gzip.decompress(out.read_bytes()).count(b"\n---\n\n") == 3


def test_a_corpus_is_a_folder_of_rows_with_markdown_on_request(
    command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    html = HtmlFile(job / JOB_DATABASE)
    html.put(FUND.url, "<p>基金净值与股票。</p><h2>收益</h2>".encode(), 1.0)
    html.close()
    for options, text in (((), FUND.text), (("--markdown",), "基金净值与股票。\n\n## 收益")):
        out = tmp_path / f"corpus{len(options)}"
        words = (
            "export",
            "--format",
            "corpus",
            "--out",
            str(out),
            "--min-relevance",
            "0.2",
            "--compress",
            "none",
        )
        said = command("pages", str(job), *words, *options).out
        assert (str(out) in said, numbers(said.replace(str(out), ""))) == (
            True,
            ["1", "1", "0", "0", "0", "0"],
        )
        (row,) = map(json.loads, (out / "pages-00000.jsonl").read_text(encoding="utf-8").splitlines())
        assert (row["url"], row["text"], row["score"]) == (FUND.url, text, 0.5)
        card = (out / "README.md").read_text(encoding="utf-8")
        kind = "Markdown" if options else "plain"
        assert (
            f"- topic: finance\n- strategy: breadth_first\n- min relevance: 0.2\n- kinds: article\n- usage: train-ai\n- text: {kind}"
            in card
        )


def test_the_list_ends_with_the_uncertain_pages_and_how_to_answer(
    command: Callable[..., Any], make_job: Callable[..., Path]
) -> None:
    pages = [
        PageRecord(url=f"http://a.cn/{n}", title=f"基金{n}", relevance=0.9 - n / 10, topic="finance")
        for n in range(7)
    ]
    seed = Visit(SEED, 200, 20.0, 0.1, stored=False, time=1.0)
    folder = make_job("uncertain", *pages, visits=(seed,))
    sample = PageSample(folder / JOB_DATABASE, 10)
    sample.add(PageRecord(url="http://b.cn/", title="银行\x1b[31m", relevance=0.125, stored=False))
    sample.close()
    threshold = 0.5
    lines = command("pages", str(folder), "uncertain").out.splitlines()
    assert numbers(lines[0]) == [f"{threshold:.3f}"]
    assert lines[1:-1] == [
        "  0.400  kept      基金5  http://a.cn/5",
        "  0.300  kept      基金6  http://a.cn/6",
        "  0.125  not kept  银行\\u001b[31m  http://b.cn/",
    ]
    assert lines[-1].endswith(f"scrapy topics teach {folder}")
    listed = command("pages", str(folder)).out.splitlines()
    assert listed[15].endswith(f"scrapy pages {folder} no URL")
    assert listed[16:] == ["", *lines]
    found = [
        json.loads(line) for line in command("pages", str(folder), "uncertain", "--json").out.splitlines()
    ]
    assert [(one["url"], one["kept"]) for one in found] == [
        ("http://a.cn/5", True),
        ("http://a.cn/6", True),
        ("http://b.cn/", False),
    ]
    assert found[2] == {
        "url": "http://b.cn/",
        "title": "银行\x1b[31m",
        "relevance": 0.125,
        "kept": False,
        "snippet": "",
        "threshold": threshold,
    }
    for options in (("--site", "a.cn"), ("--min-relevance", "0.2"), ("--json",)):
        assert "scrapy topics teach" not in command("pages", str(folder), *options).out


def test_a_topic_of_words_is_displayed_and_asked_for_by_them(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    recipe = recipe_of_words(Recipe("", "breadth_first"), ["考研", "高考"])
    files = JobFiles(tmp_path / "exam", recipe)
    files.begin()
    files.keep(
        PageRecord(url="http://a.cn/", title="考研", text="考研 高考", relevance=0.5, topic=recipe.topic)
    )
    files.close()
    job = str(tmp_path / "exam")
    assert " for topic 考研、高考: " in command("pages", job, "show", "http://a.cn/").out
    for topic in ("考研、高考", recipe.topic):
        (line,) = command("pages", job, "--topic", topic, "--json").out.splitlines()
        assert json.loads(line)["topic"] == recipe.topic
    assert "http" not in command("pages", job, "--topic", "高考").out
    assert "http://a.cn/" in command("search", "考研", "--job", job, "--topic", "考研、高考").out
    assert command("topics", "show", job).out.startswith("考研、高考\n")
    place = tmp_path / "report.html"
    assert command("pages", job, "report", "--out", str(place)).code == 0
    html = place.read_text(encoding="utf-8")
    assert "Topic 考研、高考. " in html
    assert recipe.topic not in html


def test_a_job_that_kept_nothing_says_so(command: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "none"
    files = JobFiles(folder, Recipe("finance", "breadth_first"))
    files.begin()
    files.visits.append(Visit(SEED, 200, 20.0, 0.1, stored=False, time=1.0))
    files.close()
    ran = command("pages", str(folder))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("`scrapy ") == 2
    assert (command("pages", str(folder), "--json").code, command("pages", str(folder), "--json").out) == (
        0,
        "",
    )
    assert command("search", "基金", "--job", str(folder)).code == 0
    (folder / JOB_DATABASE).unlink()
    ran = command("pages", str(folder))  # its database is gone: the job is not one that kept nothing
    assert ran.code == 1
    assert "job.sqlite" in ran.err


def test_the_crawl_log_is_lines_of_json(command: Callable[..., Any], make_job: Callable[..., Path]) -> None:
    visits = tuple(
        Visit(
            f"http://a.cn/基{number}",
            status,
            1.0,
            0.5,
            stored=False,
            time=float(number),
            shares=[("page", 1.0)],
        )
        for number, status in enumerate((200, 404))
    )
    ran = command("pages", str(make_job("logged", visits=visits)), "log")
    assert (ran.code, ran.err) == (0, "")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [(line["url"], line["status"], line["shares"]) for line in lines] == [
        ("http://a.cn/基0", 200, [["page", 1.0]]),
        ("http://a.cn/基1", 404, []),
    ]


def test_the_share_found_is_estimated_by_what_crawls_have_in_common(
    command: Callable[..., Any], make_job: Callable[..., Path]
) -> None:
    def pages(numbers: range, **more: Any) -> list[PageRecord]:
        return [replace(FUND, url=f"http://a.cn/{number}", **more) for number in numbers]

    first = make_job("first", *pages(range(10)), *pages(range(100, 109), kind="list"))
    second = make_job("second", *pages(range(5, 20)), *pages(range(100, 109), kind="list"))
    third = make_job("third", *pages(range(8, 22)))
    ran = command("pages", str(first), "found", "--other", str(second), "--kind", "article", "--json")
    found = json.loads(ran.out)
    assert [(one["job"], one["pages"]) for one in found["jobs"]] == [(str(first), 10), (str(second), 15)]
    assert (found["found"], found["common"], found["all_pages"], found["share"]) == (20, 5, 28, 0.7059)
    assert found["share_low"] < 0.7059 < found["share_high"]
    said = command("pages", str(first), "found", "--other", str(second), "--kind", "article").out
    assert numbers(said.splitlines()[3]) == ["28", "95", "22", "49", "71", "95", "41", "89"]
    of_three = json.loads(
        command("pages", str(first), "found", "--other", str(second), str(third), "--json").out
    )
    assert (len(of_three["jobs"]), of_three["found"]) == (3, 31)
    apart = make_job("apart", *pages(range(50, 60)))
    assert "nothing can be said" in command("pages", str(first), "found", "--other", str(apart)).out
