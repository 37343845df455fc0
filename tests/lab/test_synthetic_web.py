from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_web import pages_of

from topiccrawler.lab.demo.plan import DIRECTORY, JUMPED, LICAI, Web
from topiccrawler.lab.demo.server import answer
from topiccrawler.lab.recorded_web import RecordedPages, read_labels
from topiccrawler.replay.warc import RecordedWeb

pytestmark = pytest.mark.slow


def test_the_synthetic_web_is_recorded_and_the_same_each_time(synthetic_web: tuple[Path, Path]) -> None:
    web, first = Web(1), synthetic_web
    pages = RecordedPages(RecordedWeb([first[0]]))
    planned = list(pages_of(web))
    assert len(pages) == len(planned)
    assert pages.number_of_any(f"http://{DIRECTORY}/go.php?to={LICAI}") == pages.number(f"http://{LICAI}/")
    assert pages.number_of_any(f"http://{JUMPED}/") == pages.number(f"http://{LICAI}/")

    labels = read_labels([first[1]], pages)
    assert (labels.pages, labels.elsewhere) == (len(planned), 0)
    assert len(labels.of("finance")) == sum(page.topic == "finance" for page in planned)
    assert len(labels.content) == sum(page.kind == "article" for page in planned)

    again = Web(1)
    assert [page.url for page in pages_of(again)] == [page.url for page in planned]
    for page in planned[::7]:
        recorded = pages.web.response(page.url)
        assert recorded is not None
        assert recorded.body == answer(again, page.url).body
