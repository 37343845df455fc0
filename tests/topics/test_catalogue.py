"""Topics by either name or by path, also out of a zip; and what the catalogue holds."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from topiccrawler.errors import TopicError
from topiccrawler.link_model.training.labelling import label
from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.tokenise import is_whole, words_of
from topiccrawler.topics.catalogue import load_topic, topic_from_keywords, topic_names, with_site_rules
from topiccrawler.topics.topic import SiteRule, make_topic

NAMES = [
    ("auto", "汽车"),
    ("blockchain", "区块链"),
    ("education", "教育"),
    ("entertainment", "娱乐"),
    ("finance", "财经"),
    ("food", "美食"),
    ("health", "健康"),
    ("law", "法律"),
    ("programming", "编程"),
    ("sport", "体育"),
    ("tech", "科技"),
    ("travel", "旅游"),
]


def test_the_catalogue_lists_its_topics_by_english_name() -> None:
    assert topic_names() == NAMES


def test_the_segmenter_knows_every_word_of_the_catalogue_that_it_would_cut_short() -> None:
    topics = [load_topic(name) for name, _ in NAMES]
    listed = sorted({word for topic in topics for word in [*topic.keywords, *topic.lexicon]})
    runs = sorted({run for word in listed for run in re.findall("[一-鿿]{2,}", word)})
    assert [run for run, words in zip(runs, words_of(runs), strict=True) if not is_whole(run, words)] == []


@pytest.mark.parametrize(("name", "zh"), NAMES)
def test_a_topic_answers_to_both_names(name: str, zh: str) -> None:
    assert load_topic(name) is load_topic(zh)
    assert load_topic(f" {name.upper()} ").name == name


@pytest.mark.parametrize("name", [name for name, _ in NAMES])
def test_each_topic_has_words_prefixes_and_examples_enough(name: str) -> None:
    topic = load_topic(name)
    assert len(topic.keywords) >= 80
    assert len(topic.lexicon) >= 80
    assert len(topic.examples) >= 3
    assert len(topic.positive) >= 15
    assert len(topic.negative) >= 40
    assert not set(topic.positive) & set(topic.negative)


@pytest.mark.parametrize("name", [name for name, _ in NAMES])
def test_every_keyword_of_a_topic_can_be_found_among_words(name: str) -> None:
    assert VsmClassifier(load_topic(name)).unmatched == []


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
    assert line.startswith(
        "topic 'finanse': is not in the catalogue; did you mean finance? topics are auto (汽车)"
    )
    for name, zh in NAMES:
        assert f"{name} ({zh})" in line


def test_a_name_like_none_of_them_gets_no_guess() -> None:
    with pytest.raises(TopicError) as caught:
        load_topic("xyzzy")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b'name = "tea"', "keywords is missing"),
        (b"#" * 5_000_001, "is larger than 5000000 bytes"),
    ],
)
def test_a_file_that_is_no_topic_is_refused_in_one_line(
    tmp_path: Path, body: bytes | None, fault: str
) -> None:
    file = tmp_path / "tea.toml"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(TopicError) as caught:
        load_topic(str(file))
    assert str(caught.value).startswith(f"{file}: {fault}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", "nul\0.toml"])
def test_a_name_that_is_no_name_is_an_error_not_a_crash(name: str) -> None:
    with pytest.raises(TopicError):
        load_topic(name)


def test_keywords_alone_make_a_topic() -> None:
    topic = topic_from_keywords("基金，定投:0.5 理财：0.25、")
    assert topic.keywords == {"基金": 1.0, "定投": 0.5, "理财": 0.25}
    assert VsmClassifier(topic).relevance(PageWords(body=["基金", "净值"] * 50)) > topic.page_threshold


@pytest.mark.parametrize(
    ("keywords", "fault"), [("基金:viel", "is no number"), ("基金:-1", "-1"), (" , ", "keywords")]
)
def test_keywords_that_make_no_topic_are_refused_in_one_line(keywords: str, fault: str) -> None:
    with pytest.raises(TopicError) as caught:
        topic_from_keywords(keywords)
    assert fault in str(caught.value)


def test_the_catalogue_is_read_out_of_a_zip_that_is_never_unpacked(tmp_path: Path) -> None:
    package = Path(__file__).parents[2] / "topiccrawler"
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in sorted(package.rglob("*")):
            if file.suffix in {".py", ".toml"}:
                archive.write(file, Path("topiccrawler", file.relative_to(package)))
    program = (
        "from topiccrawler.topics import catalogue\n"
        "print(catalogue.__file__)\n"
        "print(catalogue.load_topic('\\u8d22\\u7ecf').name, len(catalogue.topic_names()))"
    )
    environment = {"PYTHONPATH": str(egg), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    place, found = done.stdout.splitlines()
    assert place.startswith(str(egg))
    assert found == "finance 12"


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
        (None, "cannot be read: No such file or directory; give the path of a TOML file of reading rules"),
        (b"\xff\xfe", "is not UTF-8; save it as UTF-8"),
        (b"[sites", "is not valid TOML"),
        (b"", "sites is missing; give a table by host"),
        (
            b'keywords = ["x"]\n[sites]',
            "keywords is no field of a file of reading rules; the fields are sites",
        ),
        (b'[sites."a.example.com"]\nlinks = "div["', "is no CSS selector; give a table by host"),
        (b'[sites."a.example.com"]\nbody = "p"', "sites.a.example.com.body is no field of a reading rule"),
        (b'[sites."http://a.example.com/"]\ntext = "p"', "give a table by host"),
    ],
)
def test_a_wrong_file_of_reading_rules_is_refused_in_one_line(
    tmp_path: Path, written: bytes | None, fault: str
) -> None:
    path = tmp_path / "rules.toml"
    if written is not None:
        path.write_bytes(written)
    with pytest.raises(TopicError) as caught:
        with_site_rules(load_topic("finance"), path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert fault in line
    assert "\n" not in line
