"""An exported WACZ file is valid, indexed as the tool of archives indexes it, and has the pages byte by byte."""

import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest
from warcio.archiveiterator import ArchiveIterator

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.results.exports import Wanted, export
from topiccrawler.results.job_pages import job_pages
from topiccrawler.results.wacz import sort_key
from topiccrawler.store.pages import PageRecord, Selection

FUND = PageRecord(
    url="http://www.a.cn/%E5%9F%BA%E9%87%91?b=2&a=1", title='基金："定投" Ａ', text="一行\n二行", relevance=0.9, topic="finance",
    kind="article", fetched=1_714_700_000.0, encoding="gb18030", status=200, language="zh-Hans",
)  # fmt: skip
BANK = PageRecord(
    url="https://b.cn/", title="銀行", text="貸款", relevance=0.8, topic="finance", kind="list", fetched=1.0
)
FILE = PageRecord(url="http://a.cn/report.pdf", title="报告", text="年报", relevance=0.7, format="pdf")
BODIES = {FUND.url: "<title>基金</title><p>一行".encode("gb18030"), BANK.url: "<p>銀行".encode()}


@pytest.fixture
def exported(tmp_path: Path) -> Callable[..., tuple[Path, list[str]]]:
    def made(**selection: object) -> tuple[Path, list[str]]:
        files, out = JobFiles(tmp_path / "基金 job"), tmp_path / "out.wacz"
        for record in (FUND, BANK, FILE):
            files.keep(record)
        for url, body in BODIES.items():
            files.html.put(url, body, 1.0)
        files.close()
        with job_pages(tmp_path / "基金 job") as pages:
            return out, export(pages, "wacz", out, Wanted(selection=Selection(**selection)))  # type: ignore[arg-type]

    return made


def tool(*arguments: str) -> str:
    ran = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_file_is_valid_and_says_what_is_left_out(
    exported: Callable[..., tuple[Path, list[str]]],
) -> None:
    out, said = exported()
    assert said[0] == f"2 pages written to {out}"
    assert said[1].startswith("1 pages are left out: ")
    assert "the passed WACZ is valid" in tool("-m", "wacz.main", "validate", "-f", str(out))
    with ZipFile(out) as package:
        known = json.loads(package.read("datapackage.json"))
        assert (known["wacz_version"], known["title"]) == ("1.1.1", "基金 job")
        listed = {one["path"]: (one["hash"], one["bytes"]) for one in known["resources"]}
        for path, found in listed.items():
            body = package.read(path)
            assert found == (f"sha256:{hashlib.sha256(body).hexdigest()}", len(body))
        assert {*listed, "datapackage.json", "datapackage-digest.json"} == set(package.namelist())
        assert package.getinfo("archive/data.warc.gz").compress_type == ZIP_STORED


def test_pages_are_listed_and_stand_where_the_index_says(
    exported: Callable[..., tuple[Path, list[str]]], tmp_path: Path
) -> None:
    out, _ = exported()
    with ZipFile(out) as package:
        head, *pages = map(json.loads, package.read("pages/pages.jsonl").decode().splitlines())
        index = package.read("indexes/index.cdx").decode().splitlines()
        archive = package.read("archive/data.warc.gz")
    assert (head["format"], head["hasText"]) == ("json-pages-1.0", True)
    assert [(page["url"], page["ts"], page["title"], page["text"]) for page in pages] == [
        (FUND.url, "2024-05-03T01:33:20Z", FUND.title, FUND.text),
        (BANK.url, "1970-01-01T00:00:01Z", BANK.title, BANK.text),
    ]
    (tmp_path / "data.warc.gz").write_bytes(archive)
    by_tool = tool(
        "-c", "from cdxj_indexer.main import main; main()", "--sort", str(tmp_path / "data.warc.gz")
    )
    assert [parsed(line) for line in index] == [parsed(line) for line in by_tool.splitlines()]
    for key, _, known in map(parsed, index):
        begin, length = int(known["offset"]), int(known["length"])
        record = next(ArchiveIterator(io.BytesIO(archive[begin : begin + length]), check_digests="raise"))
        assert record.content_stream().read() == BODIES[known["url"]], key
        charset = "text/html; charset=gb18030" if known["url"] == FUND.url else "text/html"
        assert record.http_headers.get_header("Content-Type") == charset


def parsed(line: str) -> tuple[str, str, dict[str, str]]:
    key, moment, known = line.split(" ", 2)
    return key, moment, json.loads(known)


def test_only_the_selected_pages_are_in_it(exported: Callable[..., tuple[Path, list[str]]]) -> None:
    out, said = exported(languages=("zh",))
    assert said == [f"1 pages written to {out}"]
    with ZipFile(out) as package:
        assert package.read("indexes/index.cdx").count(b"\n") == 1


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.a.cn/%E5%9F%BA?b=1&a=2", "cn,a)/%e5%9f%ba?a=2&b=1"),
        ("https://A.cn/Path/Index.html", "cn,a)/path/index.html"),
        ("http://a.cn:8080/x/", "cn,a:8080)/x"),
        ("https://a.cn:443/", "cn,a)/"),
        ("http://sub.www.a.cn/a//b/?q=1%202", "cn,a,www,sub)/a/b?q=1%202"),
        ("http://[::1]/x", "::1)/x"),
    ],
)
def test_urls_are_sorted_by_host_from_its_end(url: str, key: str) -> None:
    assert sort_key(url) == key
