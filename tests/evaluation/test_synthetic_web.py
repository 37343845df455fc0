from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from topiccrawler.demo.plan import Web
from topiccrawler.demo.sites import CRAWL, DIRECTORY, JUMPED, LICAI
from topiccrawler.evaluation.labels import read_labels
from topiccrawler.evaluation.recorded_pages import RecordedPages
from topiccrawler.replay.warc import RecordedWeb

Recording = Callable[[Web, Path], tuple[Path, Path]]


def test_the_synthetic_web_is_recorded_whole_and_the_same_each_time(
    synthetic_web: tuple[Path, Path], record_web: Recording, tmp_path: Path
) -> None:
    web, first = Web(1), synthetic_web
    again = record_web(web, tmp_path)
    assert first[0].read_bytes() == again[0].read_bytes()
    assert first[1].read_bytes() == again[1].read_bytes()

    pages = RecordedPages(RecordedWeb([first[0]]))
    planned = list(web.of_part(CRAWL))
    assert len(pages) == len(planned)
    assert pages.number_of_any(f"http://{DIRECTORY}/go.php?to={LICAI}") == pages.number(f"http://{LICAI}/")
    assert pages.number_of_any(f"http://{JUMPED}/") == pages.number(f"http://{LICAI}/")

    labels = read_labels([first[1]], pages)
    assert (labels.pages, labels.elsewhere) == (len(planned), 0)
    assert len(labels.of("finance")) == sum(page.topic == "finance" for page in planned)
    assert len(labels.content) == sum(page.kind == "article" for page in planned)
