"""A crawl with either segmenter finds the same pages in the same order; which one is on its log."""

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl, crawl_words
from drawn_web import answer
from forked_scrapy import ROOT, scrapy_environment

from topiccrawler.crawling.page_stores import visits_of

pytestmark = pytest.mark.slow

SEED = "http://hub.example/"
TEXTS = {
    "funds": ("基金定投", "基金净值上涨，投资者申購股票基金，Ａ股市场的上市公司分红。"),
    "bank": ("銀行理財", "銀行貸款利率下調，存款與理財產品收益。"),
    "cars": ("纯电动车", "买纯电动车要去看换电站，ic卡充电，续航里程。"),
    "food": ("龙井茶叶", "龙井和普洱都是茶叶，茶园在山上。"),
    "stocks": ("股票", "证券公司的佣金收入，k线走势，债券与黄金期货。"),
    "ball": ("足球比赛", "联赛的射门得分，球队冠军。"),
}
NAMES = list(TEXTS)


def page(number: int, depth: int) -> bytes:
    """A page with a text, and three links; in GB18030, Big5 would not have all characters."""
    title, text = TEXTS[NAMES[number % len(NAMES)]]
    links = ""
    if depth < 3:
        for n in range(3):
            to = 3 * number + n + 1
            links += f"<p>{TEXTS[NAMES[to % len(NAMES)]][1][:12]} <a href=/{depth + 1}/{to}>{TEXTS[NAMES[to % len(NAMES)]][0]}</a>"
    html = f"<meta charset=gb18030><title>{title}</title><p>{text * 5}</p>{links}"
    return html.encode("gb18030")


@pytest.fixture
def web(draw_web: Callable[..., Any]) -> Any:
    pages = {SEED: answer(200, page(0, 0))}
    for depth, numbers in ((1, range(1, 4)), (2, range(4, 13)), (3, range(13, 40))):
        pages |= {f"{SEED}{depth}/{n}": answer(200, page(n, depth)) for n in numbers}
    return draw_web(pages)


OPTIONS = {"strategy": "adaptive", "CONCURRENT_REQUESTS": 1, "TOPIC_DUPLICATES": "keep"}


def found(folder: Path) -> list[tuple[str, float, float]]:
    """The pages in the order of fetching, each with its score and relevance."""
    return [(one.url, one.score, one.relevance) for one in visits_of(folder)]


def logged(text: str) -> str:
    (name,) = re.findall(r"cut into words by (.+)", text)
    return str(name)


WITHOUT = "import sys; sys.modules['rjieba'] = None; from scrapy.cmdline import execute; execute(['scrapy', *sys.argv[1:]])"


def without_rjieba(*words: str, proxy: str | None = None) -> subprocess.CompletedProcess[str]:
    """A `scrapy` where rjieba cannot be imported, as on a machine for which it has no wheel."""
    environment = scrapy_environment(proxy, {"PYTHONPATH": str(ROOT)})
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip


def test_where_rjieba_is_missing_auto_is_jieba_and_rjieba_is_refused_in_one_line(
    crawl: Crawl, web: Any, tmp_path: Path
) -> None:
    ran = without_rjieba(*crawl_words(tmp_path / "auto", **OPTIONS), proxy=web.proxy)
    assert ran.returncode == 0, ran.stderr
    visits = found(tmp_path / "auto")
    assert logged(ran.stderr) == f"jieba {version('jieba')}"
    fast = crawl(web, job="fast", **OPTIONS)
    assert logged(fast.err) == f"rjieba {version('rjieba')}"
    assert found(fast.job) == visits
    fault = (
        "TOPIC_SEGMENTER: is rjieba, which is not installed; pip install rjieba, or set TOPIC_SEGMENTER=auto"
    )
    words = crawl_words(tmp_path / "none", TOPIC_SEGMENTER="rjieba", **OPTIONS)
    refused = without_rjieba(*words, proxy=web.proxy)
    assert (refused.returncode != 0, refused.stderr.count(fault)) == (True, 1)
    assert "Traceback" not in refused.stderr
    of_command = without_rjieba("topics", "show", "finance", "-s", "TOPIC_SEGMENTER=rjieba")
    assert (of_command.returncode, of_command.stderr.splitlines()) == (1, [f"setting {fault}"])
