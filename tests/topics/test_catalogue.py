"""Topics by either name or by path, also out of a zip; and what the catalogue holds."""

import re
import subprocess
import sys
import zipfile
from errno import ENOENT
from os import strerror
from pathlib import Path

import pytest
from message_facts import one_line

from topiccrawler.errors import TopicError
from topiccrawler.link_model.training.address_labels import label
from topiccrawler.resources import table
from topiccrawler.topics.catalogue import (
    is_catalogued,
    load_topic,
    named,
    split_keywords,
    topic_from_keywords,
    topic_names,
    with_site_rules,
)
from topiccrawler.topics.topic import SiteRule, make_topic, token_weights

# with lists of URL prefixes to train from; the segmenter's own dictionary has their words
TRAINED = [
    "auto", "blockchain", "education", "entertainment", "finance", "food", "health", "law", "programming", "sport", "tech", "travel",
]  # fmt: skip
NAMES = [name for name, _ in topic_names()]


def test_the_names_are_those_of_the_files_and_no_name_means_two_topics() -> None:
    names = [name for one in named() for name in (one.name, one.zh, *one.also)]
    assert sorted(names) == sorted({name.lower() for name in names})
    for one in named():
        topic = load_topic(one.name)
        assert (one.file.name, one.zh, list(one.also)) == (f"{topic.name}.toml", topic.zh, topic.also)


@pytest.mark.parametrize("name", NAMES)
def test_a_topic_that_is_read_unchecked_is_the_checked_one(name: str) -> None:
    text = next(one.file for one in named() if one.name == name).read_text(encoding="utf-8")
    checked = make_topic(table(text), name)
    assert load_topic(name) == checked
    assert load_topic(name).model_dump_json() == checked.model_dump_json()  # 1 is not 1.0


def test_a_topic_answers_to_all_its_names() -> None:
    finance = load_topic("finance")
    for name in ("财经", "金融", " 理财", "Stocks", "FINANCE "):
        assert load_topic(name) is finance
        assert is_catalogued(name)
    assert not is_catalogued("finance.toml")


@pytest.mark.parametrize("name", TRAINED)
def test_each_trained_topic_has_words_prefixes_and_examples_enough(name: str) -> None:
    topic = load_topic(name)
    assert len(topic.lexicon) >= 80
    assert len(topic.positive) >= 15
    assert len(topic.negative) >= 40


@pytest.mark.slow
def test_every_keyword_of_a_topic_can_be_found_among_words() -> None:
    topics = list(map(load_topic, NAMES))
    assert [token_weights(topic.keywords, topic.segmenter)[1] for topic in topics] == [[] for _ in topics]


def test_channels_of_a_portal_are_labelled_by_the_topics_prefixes() -> None:
    finance = load_topic("finance")
    assert label("http://finance.sina.com.cn/stock/a.shtml", finance) == 1
    assert label("http://sports.sina.com.cn/nba/a.shtml", finance) == 0
    assert label("http://news.sina.com.cn/c/a.shtml", finance) is None
    assert label("http://www.xinhuanet.com/fortune/a.htm", finance) == 1
    assert label("http://www.xinhuanet.com/sports/a.htm", finance) == 0


def test_a_path_is_read_as_a_topic_file(tmp_path: Path) -> None:
    file = tmp_path / "茶.toml"
    file.write_text('name = "tea"\nzh = "茶"\n[keywords]\n"茶叶" = 1.0\n', encoding="utf-8-sig")
    topic = load_topic(str(file))
    assert (topic.name, topic.zh, topic.keywords) == ("tea", "茶", {"茶叶": 1.0})


def test_an_unknown_topic_names_the_nearest_and_all_valid_ones() -> None:
    with pytest.raises(TopicError) as caught:
        load_topic("finanse")
    line = str(caught.value)
    assert line.startswith("topic 'finanse'")
    assert len(line) < 650
    for name in NAMES:
        assert f" {name} " in line


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (None, strerror(ENOENT)),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'name = "tea"', "keywords"),
        (b"#" * 5_000_001, "5000000 bytes"),
    ],
)
def test_a_file_that_is_no_topic_is_refused_in_one_line(
    tmp_path: Path, body: bytes | None, fault: str
) -> None:
    file = tmp_path / "tea.toml"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(TopicError, match=one_line(fault, begin=f"{file}: ")):
        load_topic(str(file))


@pytest.mark.parametrize("name", ["", "  ", "nul\0.toml"])
def test_a_name_that_is_no_name_is_an_error_not_a_crash(name: str) -> None:
    with pytest.raises(TopicError):
        load_topic(name)


def test_blanks_within_a_phrase_of_latin_letters_with_accents_separate_nothing() -> None:
    words = split_keywords("voiture électrique, café noir 电池 充电桩  Tiếng Ý, 5G phone")
    assert words == ["voiture électrique", "café noir", "电池", "充电桩", "Tiếng Ý", "5G phone"]


@pytest.mark.parametrize(
    ("keywords", "fault"), [("基金:viel", "'viel'"), ("基金:-1", "-1"), (" , ", "keywords")]
)
def test_keywords_that_make_no_topic_are_refused_in_one_line(keywords: str, fault: str) -> None:
    with pytest.raises(TopicError, match=one_line(fault)):
        topic_from_keywords(keywords)


@pytest.mark.slow
def test_the_catalogue_is_read_out_of_a_zip_that_is_never_unpacked(tmp_path: Path) -> None:
    package = Path(__file__).parents[2] / "topiccrawler"
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in sorted(package.rglob("*")):
            if file.suffix in {".py", ".toml", ".tsv"}:
                archive.write(file, Path("topiccrawler", file.relative_to(package)))
    program = (
        "from topiccrawler.topics import catalogue\n"
        "print(catalogue.__file__)\n"
        "print(catalogue.load_topic('\\u8d22\\u7ecf').name, len(catalogue.topic_names()))\n"
        "print(catalogue.load_topic('clc:F83').zh)"
    )
    environment = {"PYTHONPATH": str(egg), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    place, found, zh = done.stdout.splitlines()
    assert place.startswith(str(egg))
    assert (found, zh) == (f"finance {len(NAMES)}", "金融、银行")


def test_a_jobs_reading_rules_stand_over_the_topics_own(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        '[sites."B.example.com"]\ntext = "div.body"\n[sites."c.example.com/blog/"]\nlinks = "ul.posts"\n'
    )
    mine = {"a.example.com": {"title": "h1"}, "b.example.com": {"title": "h2", "text": "p"}}
    topic = make_topic({"name": "mine", "keywords": ["基金"], "sites": mine}, "test")
    found = with_site_rules(topic, tmp_path / "rules.toml")
    assert found.sites == {
        "a.example.com": SiteRule(title="h1"),
        "b.example.com": SiteRule(text="div.body"),
        "c.example.com/blog/": SiteRule(links="ul.posts"),
    }
    assert found.keywords == topic.keywords
    assert with_site_rules(topic, None) is topic


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (None, f"{strerror(ENOENT)}; "),
        (b"\xff\xfe", "UTF-8"),
        (b"[sites", "TOML"),
        (b"", "sites "),
        (b'keywords = ["x"]\n[sites]', "keywords "),
        (b'[sites."a.example.com"]\nlinks = "div["', "CSS"),
        (b'[sites."a.example.com"]\nbody = "p"', "sites.a.example.com.body "),
        (b'[sites."http://a.example.com/"]\ntext = "p"', "by host"),
    ],
)
def test_a_wrong_file_of_reading_rules_is_refused_in_one_line(
    tmp_path: Path, written: bytes | None, fault: str
) -> None:
    path = tmp_path / "rules.toml"
    if written is not None:
        path.write_bytes(written)
    with pytest.raises(TopicError, match=one_line(re.escape(fault), begin=f"{path}: ")):
        with_site_rules(load_topic("finance"), path)
