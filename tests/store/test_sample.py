"""A sample of pages: as many as asked for, the same in whatever order they come."""

import random
from pathlib import Path

from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord


def kept(sample: PageSample) -> set[str]:
    return {record.url for record in sample.records()}


def test_the_same_pages_stay_whatever_the_order_and_however_often_it_is_opened(tmp_path: Path) -> None:
    urls = [f"http://a.example/{number}" for number in range(40)]
    found = []
    for name in ("one", "two"):
        random.Random(name).shuffle(urls)
        for part in (urls[:7], urls[7:]):
            sample = PageSample(tmp_path / name, 5)
            for url in part:
                sample.add(PageRecord(url=url, stored=False))
                sample.add(PageRecord(url=url, stored=False, title="again"))
            sample.close()
        sample = PageSample(tmp_path / name, 5)
        found.append(kept(sample))
        assert {record.title for record in sample.records()} == {"again"}
        sample.close()
    assert found[0] == found[1]
    assert len(found[0]) == 5


def test_a_sample_of_none_keeps_none(tmp_path: Path) -> None:
    sample = PageSample(tmp_path / "none", 0)
    sample.add(PageRecord(url="http://a.example/"))
    assert kept(sample) == set()
    sample.close()


def test_a_page_that_leaves_the_sample_makes_room_for_another(tmp_path: Path) -> None:
    sample = PageSample(tmp_path / "two", 2)
    for name in ("a", "b"):
        sample.add(PageRecord(url=f"http://{name}.example/", stored=False))
    sample.delete("http://a.example/")
    sample.judge_pages({"http://b.example/": 0.25, "http://none.example/": 0.5})
    assert {record.url: record.relevance for record in sample.records()} == {"http://b.example/": 0.25}
    for name in ("c", "d"):
        sample.add(PageRecord(url=f"http://{name}.example/", stored=False))
    assert len(kept(sample)) == 2
    sample.close()
