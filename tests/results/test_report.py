"""The report of a job: all of it, in one file, with nothing that acts."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from topiccrawler.model import Visit
from topiccrawler.results.job_pages import job_pages
from topiccrawler.results.report import made_from, report
from topiccrawler.results.templating import moment, shown
from topiccrawler.store.pages import PageRecord

PAGE = PageRecord(
    url="http://a.cn/%E5%9F%BA",
    title="基金定投",
    summary="净值上涨。",
    topic="finance",
    relevance=0.5,
    published="2024-05-01",
)
HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e{{ 7*7 }}\x1b[2J"


def html_of(job: Path) -> str:
    with job_pages(job) as pages:
        return report(pages)


def test_harvest_pages_sites_reasons_topic_and_settings_are_reported(
    make_job: Callable[..., Path], tmp_path: Path
) -> None:
    visits = [Visit(f"http://a.cn/{n}", 200, 0.0, 0.5, n < 3, 1_700_000_000.0 + n) for n in range(4)]
    visits.append(Visit("http://b.cn/gone", 404, 0.0, 0.0, stored=False, time=1_700_000_009.0))
    html = html_of(
        make_job("funds", PAGE, replace(PAGE, url="http://c.cn/", alias_of=PAGE.url), visits=tuple(visits))
    )
    for part in (
        "<title>财经 (finance)</title>", "<h1>财经 (finance)</h1>", "job funds", "4 pages fetched, 3 kept\n(75.0 %), 1 URLs failed, 2 sites", 'points="0.0,240.0 160.0,180.0',
        'href="http://a.cn/%E5%9F%BA"', ">基金定投<", "http://a.cn/基", "净值上涨。", "2024-05-01", "copy of",
        '<td class="n">75 %', "http 404", "http://b.cn/gone", "no queue of its own", "(finance)", "breadth_first",
    ):  # fmt: skip
        assert part in html, part
    assert all(word in html for word, _ in made_from(tmp_path / "data" / "funds")["keywords"])


def test_what_strangers_wrote_is_text(make_job: Callable[..., Path]) -> None:
    page = PageRecord(
        url="javascript:alert(3)",
        title=HOSTILE,
        summary=HOSTILE,
        relevance=0.9,
        topic="finance",
        format=HOSTILE,
    )
    visits = (Visit(f"http://{HOSTILE}/", 0, 0.0, 0.0, stored=False, time=1.0),)
    html = html_of(make_job("job", page, replace(page, url="http://a.cn/\"onclick='x'"), visits=visits))
    nodes = list(LexborHTMLParser(html).root.traverse())  # type: ignore[union-attr]
    assert not {"script", "img", "iframe", "object", "link", "form"} & {node.tag for node in nodes}
    attributes = [entry for node in nodes for entry in node.attributes.items()]
    assert not [name for name, _ in attributes if name.startswith("on")]
    assert all((value or "").startswith("http://a.cn/") for name, value in attributes if name == "href")
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "49" not in re.sub(r"[\d.]+,[\d.]+", "", html.partition("Best pages")[2].partition("Sites")[0])
    assert "\\u202e{{ 7*7 }}\\u001b[2J" in html


def test_it_needs_nothing_from_elsewhere_and_long_titles_are_cut(make_job: Callable[..., Path]) -> None:
    html = html_of(make_job("job", replace(PAGE, title="长" * 1_000_000)))
    assert len(html) < 30_000
    outside = re.findall(r'(?:src|href|url)\s*[=(]\s*"?(?!http://a\.cn)[a-z]+:', html)
    assert outside == []
    assert "default-src 'none'" in html
    assert shown("a\n b") == "a b"


def test_a_job_that_kept_nothing_or_lost_its_recipe_has_a_report(make_job: Callable[..., Path]) -> None:
    job = make_job("job", replace(PAGE, stored=False))
    (job / "job.json").unlink()
    html = html_of(job)
    assert "<svg" not in html
    assert "<li>" not in html
    (job / "job.json").write_text("{", encoding="utf-8")
    assert "is damaged" in html_of(job)


@pytest.mark.parametrize("seconds", [0.0, float("nan"), float("inf"), 1e300, -1e300])
def test_a_time_that_is_none_is_an_empty_cell(seconds: float) -> None:
    assert moment(seconds) == ""
