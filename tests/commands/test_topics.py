"""`scrapy topics` as users run it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.classification import keywords_of

TEA = 'name = "tea"\nzh = "茶"\nkeywords = ["茶叶", "龙井", "普洱"]\nseeds = ["http://a.example/"]\n'


@pytest.fixture
def topics(command: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: command("topics", *args)


@pytest.fixture
def tea(tmp_path: Path) -> str:
    file = tmp_path / "tea.toml"
    file.write_text(TEA, encoding="utf-8")
    return str(file)


def test_list_has_a_line_a_topic_and_says_which_have_a_link_model(forked_scrapy: Callable[..., Any]) -> None:
    ran = forked_scrapy("topics")
    assert (ran.code, ran.err) == (0, "")
    head, *lines = ran.out.splitlines()
    assert head.startswith("name ")
    assert [line.split()[0] for line in lines] == [name for name, _ in topic_names()]
    rows = {line.split()[0]: line.split() for line in lines}
    assert rows["law"][1:] == [str(len(load_topic("law").keywords)), "yes", "法律", "legal", "法制"]
    assert rows["military"][2:4] == ["-", "军事"]


def test_list_as_json_asks_the_folder_of_models_that_is_set(
    topics: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "military.json.zst").write_text("{}")
    found = json.loads(topics("list", "--json", "-s", f"TOPIC_LINK_MODELS={tmp_path}").out)
    assert [line["name"] for line in found if line["link_model"]] == ["military"]


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (["--clc", "f84"], ["F84       保险"]),
        (["--clc", "F8"], ["F8        财政、金融", "  F81       财政、国家财政", "  F82       货币", "  F83       金融、银行",
                           "  F84       保险"]),
        (["--clc", "金融"], ["F8        财政、金融", "F83       金融、银行"]),
    ],
)  # fmt: skip
def test_the_classification_is_displayed_below_a_class(
    topics: Callable[..., Any], args: list[str], lines: list[str]
) -> None:
    assert topics("list", *args).out.splitlines() == lines


def test_show_gives_all_of_a_topic_by_any_name(topics: Callable[..., Any], tea: str) -> None:
    lines = topics("show", "金融").out.splitlines()
    finance = load_topic("finance")
    assert lines[0].startswith("finance (财经), ")
    assert lines[0].endswith("stock, stocks, money, 金融, 理财, 股票")
    assert f"{finance.page_threshold:g}" in lines[1]
    assert lines[2].endswith(": yes")
    assert lines[3].startswith("  nearest topics: real_estate 0.02, ")
    assert lines[5] == "    财经, 金融, 理财, 股票"  # its names
    assert lines[7].startswith("    财经 1, 证券 0.81, ")
    assert any(line.startswith("  example: 沪深两市") for line in lines)
    assert "https://www.eastmoney.com/" in "\n".join(lines)
    lines = topics("show", tea).out.splitlines()
    assert re.match("  茶叶 龙井 普洱: .* food; -a topic=food ", lines[1])
    assert (numbers(lines[5]), lines[6]) == (["3"], "    茶叶 1, 龙井 1, 普洱 1")
    assert lines[-2:] == ["  1 seeds:", "    http://a.example/"]


@pytest.mark.parametrize("words", ["考研,高考,志愿", "考研 高考 志愿", "考研，高考、志愿"])
def test_show_takes_words_and_says_how_they_are_understood(topics: Callable[..., Any], words: str) -> None:
    lines = topics("show", words).out.splitlines()
    assert lines[0] == "考研、高考、志愿"
    assert re.match("  考研 高考 志愿: .* education; -a topic=education ", lines[1])
    assert (numbers(lines[5]), lines[6]) == (["3"], "    考研 1, 高考 1, 志愿 1")
    terms, leading = (place for place, line in enumerate(lines) if "--all" in line)
    assert terms == 7
    assert numbers(lines[terms])[1:] == numbers(lines[leading])[1:] == ["20"]
    assert sum(line.count(" (") for line in lines[8:leading]) == 20
    assert sum(line.count(" (") for line in lines[leading + 1 :]) == 20
    assert "全国硕士研究生招生考试 0.8 (of the subject 考研)" in lines[8]
    assert "(near 高考, likeness 0." in lines[leading + 1]
    assert " education)" in "\n".join(lines[leading + 1 :])
    count = int(lines[leading].split()[0])
    every = topics("show", words, "--all").out
    assert [numbers(line) for line in every.splitlines() if line.endswith("pages:")] == [["3"], [str(count)]]
    found = json.loads(topics("show", words, "--json").out)
    assert found["terms"]["保研"] == 0.6
    assert found["understood"] == lines[1].strip()
    assert list(found["judging"]) == ["考研", "高考", "志愿"]
    assert len(found["leading"]) == count
    assert found["leading"].keys() | found["terms"].keys() == found["proposed"].keys()


def test_show_of_a_job_of_words_has_the_two_groups_and_a_name_stays_a_name(
    topics: Callable[..., Any], tmp_path: Path
) -> None:
    recipe = recipe_of_words(Recipe(""), ["考研", "高考", "志愿"], 600)
    write_recipe(assemble(recipe).record(), tmp_path)
    data = tmp_path / "data" / "考研 高考"
    data.mkdir(parents=True)
    write_recipe(assemble(Recipe("finance")).record(), data)
    of_job, of_words = topics("show", str(tmp_path)).out, topics("show", "考研,高考,志愿").out
    assert of_job == of_words
    by_name = topics("show", "考研 高考", "-s", f"TOPIC_DATA_DIR={data.parent}").out
    assert by_name.startswith("finance (财经)")
    assert topics("show", "金融").out.startswith("finance (财经)")


def test_new_writes_a_file_that_loads_and_never_over_another(
    topics: Callable[..., Any], tmp_path: Path
) -> None:
    place = tmp_path / "money.toml"
    call = ("new", "money", "--keywords", "基金,银行:0.5", "--class", "F83", "--out", str(place))
    assert topics(*call).out.endswith(f"scrapy topics check {place}\n")
    topic = load_topic(str(place))
    assert (topic.name, topic.zh) == ("money", "金融、银行")
    assert topic.keywords == {**keywords_of("F83"), "银行": 0.5, "基金": 1.0}  # what the user wrote stands
    ran = topics(*call, "--zh", "钱")
    assert (ran.code, ran.err.startswith(f"{place}: "), "--force" in ran.err) == (1, True, True)
    assert json.loads(topics(*call, "--zh", "钱", "--force", "--json").out) == {"file": str(place)}
    assert load_topic(str(place)).zh == "钱"


def test_check_tells_what_a_topic_makes_of_pages(
    topics: Callable[..., Any], tea: str, tmp_path: Path
) -> None:
    page = tmp_path / "tea.html"
    page.write_text(f"<title>龙井，茶叶</title><p>{'龙井和普洱都是茶叶。' * 20}", encoding="utf-8")
    store = PageStore(tmp_path / "job.sqlite")
    store.put(PageRecord(url="http://a.example/1", title="普洱", text="普洱和茶叶的价格，" * 30))
    store.put(PageRecord(url="http://a.example/\x1b2", title="足球", text="足球比赛的比分，" * 30))
    store.close()
    ran = topics("check", tea, "--pages", str(page), "--pages", str(store.database.path))
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("warning: 3 ")
    assert numbers(lines[1]) == ["2", "3", "0.5"]
    relevance, url = lines[-1].split()
    assert url == "http://a.example/\\u001b2"
    assert float(relevance) < 0.5
    found = json.loads(topics("check", tea, "--pages", str(store.database.path), "--json").out)
    assert (found["threshold"], found["reached"], len(found["pages"])) == (0.5, 1, 2)
    assert found["similarity_threshold"] == 0.15


def test_check_warns_of_a_threshold_that_no_page_reaches(
    topics: Callable[..., Any], tea: str, tmp_path: Path
) -> None:
    page = tmp_path / "ball.html"
    page.write_text("<title>足球</title><p>比赛", encoding="utf-8")
    ran = topics("check", tea, "--pages", str(page))
    assert ran.code == 0
    assert re.search(r"warning: .*\b0\.[0-4]\d\d\b.* 0\.5 \(page_threshold 0\.15\)", ran.out)


def test_check_ends_with_1_for_a_topic_that_cannot_work(topics: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "tea.toml"
    file.write_text('name = "tea"\nkeywords = ["C"]\nseeds = ["http://a.example/"]', encoding="utf-8")
    ran = topics("check", str(file))
    assert ran.code == 1
    assert ran.out.startswith("error: ")
    file.write_text('name = "tea"\nkeywords = {"茶叶" = 0}', encoding="utf-8")
    ran = topics("check", str(file))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"{file}: keywords.茶叶 = 0: ")
