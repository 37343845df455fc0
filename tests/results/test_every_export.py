"""Each export format writes the same two pages; what it writes stands in the folder exported, and a format without a file there fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from topiccrawler.crawling.job_files import HTML
from topiccrawler.model import Visit
from topiccrawler.results.corpus import Shape
from topiccrawler.results.exports import CORPUS, FORMATS, Wanted, export
from topiccrawler.results.job_pages import job_pages
from topiccrawler.store.html import HtmlFile
from topiccrawler.store.pages import PageRecord

EXPECTED = Path(__file__).with_name("exported")
FUND = PageRecord(
    url="http://a.cn/1", title="基金 Ａ", text="一行\n二行,“引号”", relevance=0.5, depth=2, score=-2.5, topic="finance",
    kind="article", source_url="http://b.cn/", anchor="=基金", fetched=1_714_700_000.0, media='[{"url": "http://a.cn/x.png"}]',
)  # fmt: skip
BANK = PageRecord(
    url="http://b.cn/", title="銀行", text="貸款", relevance=0.9, topic="finance", kind="article", fetched=1.0,
    opinion="yes", opinion_reason="講銀行",
)  # fmt: skip
MARKUP = "<title>基金 Ａ</title><article><h1>基金 Ａ</h1><p>一行</p><p><b>二行</b>,“引号”</p></article>"


def written(form: str, out: Path) -> str:
    """What an export has written, as text."""
    if form == CORPUS:  # the card has the day of the export
        return (out / "pages-00000.jsonl").read_text(encoding="utf-8")
    if form == "parquet":
        rows = read_table(out).to_pylist()
        return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
    return out.read_bytes().decode()


@pytest.mark.parametrize("form", FORMATS)
def test_two_pages_are_written_best_first(form: str, make_job: Callable[..., Path], tmp_path: Path) -> None:
    visits = tuple(
        Visit(
            page.url,
            200,
            page.score,
            page.relevance,
            stored=True,
            time=page.fetched,
            source_url=page.source_url,
        )
        for page in (BANK, FUND)
    )
    folder, out = make_job("funds", FUND, BANK, visits=visits), tmp_path / f"out.{form}"
    html = HtmlFile(folder / HTML)
    html.put(FUND.url, MARKUP.encode())
    html.close()
    with job_pages(folder) as pages:
        export(pages, form, out, Wanted(shape=Shape(compress="none")))
    assert written(form, out) == (EXPECTED / f"{form}.txt").read_bytes().decode()
