"""Each export format writes the same two pages; what it writes stands in the folder exported, and a format without a file there fails."""

import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from page_records import keep_html
from pyarrow.parquet import read_table

from topiccrawler.errors import ArgumentError
from topiccrawler.model import Visit
from topiccrawler.results.corpus import Shape
from topiccrawler.results.exports import CORPUS, FORMATS, MARKDOWN_FILES, WACZ, Wanted, export
from topiccrawler.results.job_pages import job_pages
from topiccrawler.store.pages import PageRecord

EXPECTED = Path(__file__).with_name("exported")
FUND = PageRecord(
    url="http://a.cn/1", title="基金 Ａ", text="一行\n二行,“引号”", relevance=0.5, depth=2, score=-2.5, topic="finance",
    kind="article", source_url="http://b.cn/", anchor="=基金", fetched=1_714_700_000.0, media='[{"url": "http://a.cn/x.png", "anchor": "", "alt": "", "caption": "", "kind": "image"}]',
    usage="train-ai=y; source=robots.txt", licence="CC0-1.0; source=rel=license", personal_data="phone=2, email=1",
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
    if form == WACZ:  # its other files are tested in test_wacz.py
        with ZipFile(out) as package:
            return package.read("pages/pages.jsonl").decode()
    if form == MARKDOWN_FILES:
        return "".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in sorted(out.iterdir()))
    return out.read_bytes().decode()


PERSON = PageRecord(
    url="http://c.cn/1", title="找王五 13800138000", text="邮箱 wang_wu@qq.com，身份证 11010519491231002X，\n卡号 6222 0212 3456 7890 128",
    summary="致电138-0013-8000", description="ＱＱ：13800138000", anchor="wang@qq.com", relevance=0.8, kind="article", fetched=1.0,
    media='[{"url": "http://c.cn/13800138000.png", "anchor": "电话13800138000", "alt": "", "caption": "", "kind": "media"}]',
)  # fmt: skip
MARKED = "<article><h1>找王五 13800138000</h1><p>邮箱 wang_wu@qq.com，身份证 11010519491231002X，</p><p>卡号 <b>6222 0212 3456 7890 128</b></p></article>"


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("graphml", "wacz")])
def test_personal_data_are_replaced_in_all_texts(
    form: str, make_job: Callable[..., Path], tmp_path: Path
) -> None:
    folder, out = make_job("funds", PERSON), tmp_path / f"out.{form}"
    keep_html(folder, **{PERSON.url: MARKED})
    with job_pages(folder) as pages:
        export(pages, form, out, Wanted(shape=Shape(compress="none"), redact=True, markdown=form == CORPUS))
    found = written(form, out)
    secrets = ("wang", "0138-", "11010519", "6222", "138-0013", "致电1", "电话1", "王五 1")
    assert not any(secret in found for secret in secrets)
    emails = 1 + (form not in ("markdown", "markdown-files", "corpus"))
    assert [found.count(one) for one in ("[EMAIL]", "[ID]", "[CARD]")] == [emails, 1, 1]
    assert "找王五 [PHONE]" in found
    if form in ("jsonl", "csv", "parquet"):
        assert "ＱＱ：13800138000" in found
        assert "http://c.cn/13800138000.png" in found
    if form in ("markdown", "markdown-files", "corpus"):
        assert "**[CARD]**" in found


@pytest.mark.parametrize("form", ["graphml", "wacz"])
def test_a_graph_and_an_archive_have_no_texts_to_redact(
    form: str, make_job: Callable[..., Path], tmp_path: Path
) -> None:
    with (
        job_pages(make_job("funds", PERSON)) as pages,
        pytest.raises(ArgumentError, match=f"--redact: is not for {form}"),
    ):
        export(pages, form, tmp_path / f"x.{form}", Wanted(redact=True))
    assert list(tmp_path.glob("x*")) == []


@pytest.mark.parametrize("form", FORMATS)
def test_two_pages_are_written_best_first(form: str, make_job: Callable[..., Path], tmp_path: Path) -> None:
    visits = tuple(
        Visit(page.url, 200, page.score, page.relevance, True, page.fetched, page.source_url)
        for page in (BANK, FUND)
    )
    folder, out = make_job("funds", FUND, BANK, visits=visits), tmp_path / f"out.{form}"
    keep_html(folder, **{FUND.url: MARKUP})
    with job_pages(folder) as pages:
        export(pages, form, out, Wanted(shape=Shape(compress="none")))
    assert written(form, out) == (EXPECTED / f"{form}.txt").read_bytes().decode()
