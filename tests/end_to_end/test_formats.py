"""Crawls over webs that are not all HTML: documents, feeds, copies, files that are linked, pages rendered by JavaScript."""

import importlib.util
import io
import json
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from drawn_crawls import HUB, Crawl, json_lines, stored
from drawn_web import answer
from message_facts import numbers

from topiccrawler import Job
from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.engine.rendering import BROWSERS
from topiccrawler.results.corpus import Shape
from topiccrawler.store.html import PAGES_WARC, KeptHtml

pytestmark = pytest.mark.slow

SENTENCES = [
    f"{subject}在{year}年的{thing}比上一年多了{number}个百分点，投资者因此更看重{other}。"
    for year, subject, thing, number, other in [
        (2011, "股票基金", "净值", 3, "债券"), (2012, "商业银行", "贷款利率", 1, "存款"),
        (2013, "证券公司", "佣金收入", 7, "成本"), (2014, "保险资金", "股市仓位", 5, "分红"),
        (2015, "货币基金", "收益率", 2, "流动性"), (2016, "黄金期货", "成交量", 9, "保证金"),
        (2017, "人民币汇率", "波动", 4, "外汇储备"), (2018, "上市公司", "利润", 6, "现金流"),
    ]
]  # fmt: skip
FUNDS = "".join(SENTENCES)
CHANGED = FUNDS.replace("2014", "2004").replace("更看重成本", "更看重风险")


def page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def word_file(*paragraphs: str, heading: str) -> bytes:
    document = docx.Document()
    document.add_heading(heading, 1)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def workbook(*rows: list[str]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_documents_and_feeds_are_read_and_what_is_linked_but_no_page_is_only_recorded(
    crawl: Crawl, forked_scrapy: Any, tmp_path: Path
) -> None:
    feed = (
        f"<rss><channel><title>财经</title><item><title>基金周报</title><link>{HUB}weekly</link>"
        "<description>股票与债券</description></item></channel></rss>"
    )
    links = (
        "<a href=/report.docx>报告</a><a href=/feed>订阅</a><a href=/table>表格</a><a href=/old.bin2>旧</a>"
        "<figure><a href=/chart.png><img src=/s.png alt=走势图></a><figcaption>基金走势</figcaption></figure>"
    )
    report = word_file(*SENTENCES, heading="年度基金报告")
    pages = {
        HUB: page("股票基金", f"<p>{FUNDS}</p>{links}"),
        f"{HUB}report.docx": answer(200, report, Content_Type="application/octet-stream"),
        f"{HUB}feed": answer(200, feed, Content_Type="application/rss+xml"),
        f"{HUB}table": answer(200, workbook(["股票", "基金"], ["银行", "利率"])),
        f"{HUB}old.bin2": answer(200, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500),
        f"{HUB}weekly": page("基金周报", f"<p>{FUNDS[::-1]}{'基金，股票，证券，银行。' * 4}</p>"),
    }
    out = tmp_path / "out.jsonl"
    ran = crawl(pages, "-o", str(out), CONCURRENT_REQUESTS=1, TOPIC_DUPLICATES="keep")
    assert ran.web.fetched() == list(pages)
    assert "'topic/skipped/unknown': 1" in ran.err
    rows = stored(ran.job)
    report, table = rows[f"{HUB}report.docx"], rows[f"{HUB}table"]
    assert (report.title, report.format, report.language) == ("年度基金报告", "docx", "zh-Hans")
    assert report.text.splitlines() == ["年度基金报告", *SENTENCES]
    assert (table.title, table.format, table.text) == ("股票 基金", "xlsx", "股票 基金\n银行 利率")
    chart = f"{HUB}chart.png"
    media = {"url": chart, "anchor": "走势图", "alt": "走势图", "caption": "基金走势", "kind": "media"}
    assert json.loads(rows[HUB].media) == [media]
    items = json_lines(out.read_text(encoding="utf-8"))
    assert items[0]["media"] == [media]
    for words in ("走势图", "基金走势", "走勢圖 基金"):  # anchor, caption, and both in traditional characters
        said = forked_scrapy("search", words, "--media", "--job", str(ran.job), "--json")
        picture = json.loads(said.out)
        assert (picture["url"], picture["page"]) == (chart, HUB)
    assert "股票基金在2011年" in items[0]["summary"]
    assert (f"{HUB}weekly", "基金周报") in [(item["url"], item["anchor"]) for item in items]


def slow_pdf(pages: int = 150, operations: int = 500_000) -> bytes:
    """Some kilobytes; all pages share one content without text, and together they take a minute to read."""
    drawn = zlib.compress(b"BT /F1 12 Tf\n" + b"() Tj 0 0 Td\n" * operations + b"ET", 9)
    kids = range(5, 5 + pages)
    sheet = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R /Resources << /Font << /F1 4 0 R >> >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%b] >>" % (pages, b" ".join(b"%d 0 R" % kid for kid in kids)),
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *[sheet] * pages,
    ]
    body = b"%PDF-1.4\n"
    offsets = []
    for number, written in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    size = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def test_a_crawl_goes_on_while_a_hostile_file_runs_into_its_limit(crawl: Crawl) -> None:
    """Pages of other hosts are read meanwhile; the document behind the file is read by a new worker."""
    file, report = "http://slow.example/file.pdf", "http://slow.example/report.docx"
    others = [f"http://{name}.example/" for name in ("one", "two", "three")]
    links = "".join(f"<a href={url}>基金</a>" for url in (file, *others, report))
    body = slow_pdf()
    assert len(body) < 100_000
    pages = {
        HUB: page("股票基金", f"<p>{FUNDS}</p>{links}"),
        file: answer(200, body),
        **{url: page("基金", f"<p>{SENTENCES[n] * 5}</p>") for n, url in enumerate(others)},
        report: answer(200, word_file(*SENTENCES, heading="年度基金报告")),
    }
    ran = crawl(pages, TOPIC_DUPLICATES="keep", constants={"topiccrawler.pages.formats.reader.SECONDS": 4.0})
    assert f"{file} (pdf): " in ran.err
    assert "'topic/skipped/unreadable': 1" in ran.err
    visits = list(visits_of(ran.job))
    assert [visit.url for visit in visits][-2:] == [file, report]
    assert sorted(visit.url for visit in visits[1:-2]) == sorted(others)
    assert visits[-2].time - visits[-3].time > 1, "the others were not read meanwhile"
    assert [visit.stored for visit in visits] == [True, True, True, True, False, True]
    documents = [(url, row.title) for url, row in stored(ran.job).items() if row.format == "docx"]
    assert documents == [(report, "年度基金报告")]


FIRST, SECOND, THIRD, FOURTH = f"{HUB}1", f"{HUB}2", "http://other.test/3", f"{HUB}4"
COPIES = {
    HUB: page("导航", f"<a href=/1>一</a><a href=/2>二</a><a href={THIRD}>三</a><a href=/4>四</a>"),
    FIRST: page("怎样买基金 - 甲站", f"<p>{FUNDS}</p>"),
    SECOND: page("怎样买基金", f"<p>{FUNDS}</p>"),
    THIRD: page("怎样买基金_乙站", f"<p>{CHANGED}</p>"),
    FOURTH: page("第四篇基金", f"<p>{FUNDS[::-1]}{'基金，股票，证券，银行，贷款，利率。' * 4}</p>"),
}


def test_copies_within_and_across_sites_are_stored_as_aliases_without_text_and_html(
    crawl: Crawl, tmp_path: Path
) -> None:
    fourth = page("第四篇基金", f"<h2>基金、股票与证券</h2><p><b>摘要</b>：{FUNDS[::-1]}。</p>").encode("gbk")
    pages = {**COPIES, FOURTH: answer(200, fourth, Content_Type="text/html; charset=gbk")}
    ran = crawl(pages, CONCURRENT_REQUESTS=1)
    found = {url: (record.alias_of, bool(record.text)) for url, record in stored(ran.job).items()}
    assert found == {FIRST: ("", True), SECOND: (FIRST, False), THIRD: (FIRST, False), FOURTH: ("", True)}
    assert "'topic/duplicates/alias': 2" in ran.err
    with KeptHtml([ran.job]) as html:
        kept = {url: html.get(url) for url in COPIES}
    assert [url for url, body in kept.items() if body] == [FIRST, FOURTH]
    assert kept[FOURTH] == fourth
    corpus = tmp_path / "corpus"
    [said] = Job(ran.job).export(corpus, "corpus", markdown=True, shape=Shape(compress="none"))
    assert said.startswith("2 ")
    assert str(corpus) in said
    assert numbers(said)[-5:] == ["1", "0", "2", "0", "0"]
    texts = {row["url"]: row["text"] for row in json_lines((corpus / "pages-00000.jsonl").read_text("utf-8"))}
    assert texts[FOURTH] == f"## 基金、股票与证券\n\n**摘要**：{FUNDS[::-1]}。"


def test_copies_can_be_dropped_and_other_sites_left_alone(crawl: Crawl) -> None:
    options = {"TOPIC_DUPLICATES": "drop", "TOPIC_DUPLICATES_ACROSS_SITES": False, "TOPIC_KEEP_HTML": False}
    ran = crawl(COPIES, CONCURRENT_REQUESTS=1, **options)
    assert list(stored(ran.job)) == [FIRST, THIRD, FOURTH]
    assert "'topic/duplicates/drop': 1" in ran.err
    assert not (ran.job / PAGES_WARC).exists()


needs_browser = pytest.mark.skipif(
    importlib.util.find_spec("scrapy_playwright") is None or not any(map(shutil.which, BROWSERS)),
    reason="the extra is not there: pip install -e '.[rendering]' and a Chromium (apt-get install chromium)",
)
SCRIPTED = (
    "<html><head><title>行情</title></head><body><div id=app></div><script>"
    f"document.getElementById('app').innerHTML = '<p>{FUNDS}</p><a href=/next>基金</a>';"
    "new Image().src = '/pixel';</script></body></html>"
)


@needs_browser
@pytest.mark.parametrize(
    ("setting", "drawn"),
    [({"TOPIC_RENDERED_HOSTS": "hub.example"}, 2), ({"TOPIC_RENDER_EMPTY_PAGES": True}, 1)],
    ids=["named", "empty"],
)
def test_a_browser_draws_pages_of_named_hosts_or_pages_without_text(
    crawl: Crawl, setting: Mapping[str, object], drawn: int
) -> None:
    ran = crawl({HUB: SCRIPTED, f"{HUB}next": page("基金", f"<p>{FUNDS[::-1]}基金股票证券</p>")}, **setting)
    assert f"{HUB}next" in ran.web.fetched()
    assert f"{HUB}pixel" not in ran.web.fetched()
    assert HUB in stored(ran.job)
    assert f"'topic/rendered': {drawn}" in ran.err
