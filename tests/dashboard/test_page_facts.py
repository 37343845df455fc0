"""The page of a kept page says what its site says about its use, its licence, and how many personal data it has, in both languages."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.store.pages import PageRecord

PAGE = PageRecord(
    url="http://a.cn/1", title="基金", text="基金定投。", relevance=0.9, topic="finance", kind="article", fetched=1.0, language="zh-Hant",
    usage="train-ai=n; source=robots.txt", licence="CC-BY-4.0; source=JSON-LD", personal_data="phone=2, email=1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["Language", "Said about its use", "Licence", "Personal data"]),
        ("zh-CN", ["语言", "用途声明", "许可协议", "个人信息"]),
    ],
)
def test_facts_of_a_page(
    language: str, names: list[str], open_dashboard: Callable[[Path], Any], make_job: Callable[..., Path]
) -> None:
    dashboard = open_dashboard(make_job("funds", PAGE).parent)
    answer = dashboard.get("/jobs/funds/page?url=http%3A%2F%2Fa.cn%2F1", **{"Accept-Language": language})
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd><bdi>([^<]*)</bdi>", answer.text))
    assert [facts[name] for name in names] == [PAGE.language, PAGE.usage, PAGE.licence, PAGE.personal_data]
