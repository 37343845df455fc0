"""The file of labelled links: labels, caps, no repeats, and going on after a kill."""

import json
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.errors import LinksFileError, StateError
from topiccrawler.link_model.training.link_files import Caps, LinkFile
from topiccrawler.model import Link
from topiccrawler.topics.topic import make_topic
from topiccrawler.urls.canonical import host_of

PREFIXES = {"positive": ["money.example", "www.portal.example/c/8"], "negative": ["sport.example"]}
TOPIC = make_topic({"name": "finance", "keywords": ["基金"], **PREFIXES}, "test")


def link(url: str, anchor: str = "去", source: str = "http://hub.example/") -> Link:
    return Link(url, host_of(url), anchor, before="前", after="后", source_url=source)


def opened(path: Path, **options: Any) -> LinkFile:
    caps = Caps(**{name: options.pop(name) for name in ("page", "host", "site") if name in options})
    return LinkFile(path, TOPIC, context=options.pop("context", "window"), caps=caps, **options)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_links_are_labelled_by_their_target_and_others_left_out(tmp_path: Path) -> None:
    file = opened(tmp_path / "links.jsonl")
    anchors = {
        "sub.money.example/a": "股市", "www.portal.example/c/8/x": "财经", "www.portal.example/c/9/x": "体育",
        "sport.example/": "赛事", "sport.example/nothing": "",
    }  # fmt: skip
    taken = file.add([link(f"http://{place}", anchor) for place, anchor in anchors.items()])
    found = {row["anchor"]: row["label"] for row in rows(tmp_path / "links.jsonl")}
    assert (taken, found) == (3, {"股市": 1, "财经": 1, "赛事": 0})
    assert (file.counts[1], file.counts[0]) == (2, 1)


def test_a_link_counts_once_for_its_url_and_anchor(tmp_path: Path) -> None:
    file = opened(tmp_path / "links.jsonl")
    file.add([link("http://money.example/", "首页"), link("http://money.example/", "首页")])
    file.add(
        [link("http://money.example/", "首页", "http://b.example/"), link("http://money.example/", "财经")]
    )
    assert [row["anchor"] for row in rows(tmp_path / "links.jsonl")] == ["首页", "财经"]
    assert file.repeated == 1


def test_a_page_a_host_and_a_site_give_so_many_links_at_most(tmp_path: Path) -> None:
    file = opened(tmp_path / "links.jsonl", page=3, host=5, site=6)
    taken = [
        file.add([link(f"http://money.example/{page}/{at}", source=page) for at in range(10)])
        for page in ("http://a.one.example.com/1", "http://a.one.example.com/2", "http://b.example.com/1",
                     "http://c.example.org/")
    ]  # fmt: skip
    assert taken == [3, 2, 1, 3]
    assert file.capped == 31


def test_a_killed_crawl_goes_on_without_its_half_line_and_without_repeats(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    links = [link(f"http://money.example/{at}") for at in range(4)]
    opened(path, host=6).add(links)
    with path.open("ab") as out:
        out.write(b'{"url": "http://money.exa')
    again = opened(path, host=6)
    assert again.counts[1] == 4
    new = [link(f"http://money.example/n{at}", source="http://hub.example/2") for at in range(4)]
    assert again.add([*links, *new]) == 2
    assert len({row["url"] for row in rows(path)}) == len(rows(path)) == 6


def test_a_file_that_holds_something_else_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no links\n")
    with pytest.raises(LinksFileError, match=r"notes\.txt, line 1"):
        opened(path)
    assert path.read_text() == "no links\n"


def test_contexts_of_two_makers_do_not_mix(tmp_path: Path) -> None:
    opened(tmp_path / "links.jsonl").add([link("http://money.example/")])
    with pytest.raises(LinksFileError, match="-a context=window"):
        opened(tmp_path / "links.jsonl", context="dom")


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="-a out=FILE"):
        opened(tmp_path).add([link("http://money.example/")])


@pytest.mark.parametrize(
    ("field", "value"),
    [("label", []), ("label", {}), ("source_url", None), ("source_url", 5), ("source_url", "http://[")],
)
def test_a_line_with_a_value_of_another_type_is_named_and_left_alone(
    tmp_path: Path, field: str, value: object
) -> None:
    path = tmp_path / "links.jsonl"
    opened(path).add([link("http://money.example/")])
    (row,) = rows(path)
    path.write_text(json.dumps(row) + "\n" + json.dumps({**row, field: value}) + "\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(LinksFileError, match=r"links\.jsonl, line 2: is no labelled link; "):
        opened(path)
    assert path.read_bytes() == before
