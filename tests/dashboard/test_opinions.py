"""The second opinion of a language model, on the page of a kept page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.dashboard.texts import texts_in
from topiccrawler.store.pages import PageRecord

pytestmark = pytest.mark.slow


def test_a_page_has_its_opinion_and_the_reason_and_another_has_none(
    open_dashboard: Callable[[Path], Any], make_job: Callable[..., Path]
) -> None:
    asked = PageRecord(url="http://a.cn/", title="火箭", text="火箭发射", relevance=0.95, opinion="yes", opinion_reason="讲运载火箭")  # fmt: skip
    other = PageRecord(url="http://b.cn/", title="卫星", text="卫星入轨", relevance=0.9)
    dashboard = open_dashboard(make_job("rockets", asked, other).parent)
    for language in ("en", "zh"):
        said = texts_in(language)("opinion_yes")
        page = dashboard.get(
            "/jobs/rockets/page?url=http%3A%2F%2Fa.cn%2F", **{"Accept-Language": language}
        ).text
        assert f'<p class="opinion">{said} <bdi>讲运载火箭</bdi></p>' in page
        assert 'class="opinion"' not in dashboard.get("/jobs/rockets/page?url=http%3A%2F%2Fb.cn%2F").text
