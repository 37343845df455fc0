"""Example pages from everything a user may name."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.job_database import JOB_DATABASE, JobDatabase
from topiccrawler.seeding.example_pages import Sources, Take
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord

PAGE = "<title>龙井</title><p>" + "龙井和普洱都是茶叶。" * 20


def fetched(urls: Sequence[str], take: Take) -> None:
    """Pages arrive in an order of their own."""
    for url in reversed(urls):
        page = (
            (b"", "", "answers 404")
            if "gone" in url
            else (PAGE.encode("gb18030"), "text/html; charset=gbk", "")
        )
        take(url, *page)


@pytest.fixture
def sources() -> Sources:
    return Sources(frozenset({"tea"}), fetched)


def names(sources: Sources, *words: object, positive: bool = True) -> list[str]:
    places = [str(one) for one in words]
    return list(sources.examples(places)[0] if positive else sources.examples([], places)[1])


def test_files_of_a_folder_are_read_as_pages(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "b.txt").write_text("普洱茶叶的价格", encoding="utf-8")
    (tmp_path / "c.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / ".hidden").write_text(PAGE, encoding="utf-8")
    found, _ = sources.examples([str(tmp_path)])
    assert [Path(name).name for name in found] == ["a.html", "b.txt"]
    page, text = found.values()
    assert list(page.title) == ["龙井"]
    assert "价格" in text.body
    assert [Path(name).name for name in sources.faults] == ["c.png"]


def test_documents_go_by_their_label(sources: Sources, tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    rows = [("Tea", "茶叶"), ("sport", "足球比赛"), ("", "天气预报")]
    lines = (json.dumps({"label": label, "title": "", "text": text}) for label, text in rows)
    file.write_text("\n".join(lines), encoding="utf-8")
    assert names(sources, file) == [f"{file}, line 1", f"{file}, line 3"]
    assert names(sources, file, positive=False) == [f"{file}, line 2", f"{file}, line 3"]
    assert sources.other_labels == {"sport", ""}


def test_addresses_and_lists_of_them_are_fetched_and_faults_kept(sources: Sources, tmp_path: Path) -> None:
    file = tmp_path / "urls.txt"
    file.write_text("# mine\nhttp://a.example/1\n\nhttp://a.example/gone\n", encoding="utf-8")
    assert names(sources, file, "http://b.example/,http://a.example/1") == [
        "http://a.example/1",
        "http://b.example/",
    ]
    assert sources.faults == {"http://a.example/gone": "answers 404"}
    both = sources.examples(["http://a.example/1"], [str(file)])
    assert [list(side) for side in both] == [["http://a.example/1"]] * 2
    assert list(both[0]["http://a.example/1"].title) == ["龙井"]


def test_a_job_gives_what_it_kept_and_what_it_discarded(sources: Sources, tmp_path: Path) -> None:
    with closing(JobDatabase(tmp_path / JOB_DATABASE)) as database:
        for store, url in (
            (PageStore(database), "http://a.example/kept"),
            (PageSample(database, 9), "http://a.example/left"),
        ):
            store.put(PageRecord(url=url, title="题目", text="茶叶"))
            store.put(PageRecord(url=f"{url}/copy", title="题目", alias_of=url))
    assert names(sources, tmp_path) == ["http://a.example/kept"]
    assert names(sources, tmp_path, positive=False) == ["http://a.example/left"]
    assert names(sources, tmp_path / JOB_DATABASE) == ["http://a.example/kept"]


def test_what_is_not_there_is_refused(sources: Sources, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"/nothing: "):
        names(sources, tmp_path / "nothing")
    PageStore(tmp_path / "job.sqlite").close()
    with pytest.raises(ArgumentError, match=f"{tmp_path.name}"):
        names(sources, tmp_path, positive=False)
