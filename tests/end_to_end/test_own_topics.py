"""Topics of a user's own, by `scrapy crawl topic` as a user types it: words, and a class of the library classification."""

import re
from typing import Any

import pytest
from drawn_crawls import HUB, Crawl, Crawled, page, stored

from topiccrawler.engine.ending import MARK

pytestmark = pytest.mark.slow


def test_words_and_a_seed_are_enough_for_a_crawl_and_its_topic_is_a_file_for_the_next(crawl: Crawl) -> None:
    pages = {
        HUB: page("导航", "网址大全", ("/ev", "小区见闻"), ("/lend", "投诉"), ("/ball", "比赛")),
        f"{HUB}ev": page("小区充电桩", "充电桩和纯电动车的续航与换电站。" * 20),
        f"{HUB}lend": page("充电宝投诉", "租的充电宝坏了，客服不理，要求退款。" * 20),
        f"{HUB}ball": page("主场赢球", "主场两比一赢球，门将扑出了点球。" * 20),
    }

    def crawled(job: str, **options: object) -> Crawled:
        return crawl(pages, job=job, strategy=None, **{"topic": None, **options})

    words = {"keywords": "充电桩:2,纯电动,换电站"}
    ran = crawled("words", **words)
    kept = set(stored(ran.job))
    file = ran.job / "topic.toml"
    assert " 充电桩 纯电动 换电站: " in ran.err
    assert re.search(r": 充电桩 2, 纯电动 1, 换电站 1; \d+ ", ran.err)
    assert re.search(rf"; .*: {re.escape(str(file))}$", ran.err, re.MULTILINE)
    assert "Topic 充电桩、纯电动、换电站, strategy adaptive" in ran.err
    assert "keywords-" not in ran.err
    look = ran.err.partition(f"{MARK}\n")[2]
    assert re.search(r":\n    0\.\d{3}  小区充电桩  http://hub\.example/ev\n", look)
    assert re.search(r"    0\.\d{3}  not kept  主场赢球  http://hub\.example/ball\n", look)
    assert re.search(rf" 充电桩、纯电动、换电站\? .*: scrapy topics teach {re.escape(str(ran.job))}\n", look)
    assert f"{HUB}ev" in kept
    assert f"{HUB}ball" not in kept
    assert set(stored(crawled("file", topic=file).job)) == kept
    # 充电宝 is cut to 充电, a word near these; the words alone tell it from 充电桩
    assert set(stored(crawled("alone", TOPIC_PROPOSED_WORDS=0, **words).job)) == {f"{HUB}ev"}


def test_a_class_of_the_library_classification_is_crawled_for_and_kept_as_a_file(
    crawl: Crawl, forked_scrapy: Any
) -> None:
    pages = {
        HUB: page("导航", "网址大全", ("/bank", "第一页"), ("/ball", "第二页")),
        f"{HUB}bank": page("银行和金融", "银行的存款与贷款，金融和货币的流通。" * 20),
        f"{HUB}ball": page("足球", "球队赢得了比赛，门将扑出了点球。" * 20),
    }
    job = crawl(pages, topic="clc:F83", strategy=None).job
    assert list(stored(job)) == [f"{HUB}bank"]
    assert 'name = "clc-f83"' in (job / "topic.toml").read_text(encoding="utf-8")
    printed = forked_scrapy("explain", f"{HUB}bank", "--job", str(job))
    assert printed.code == 0, printed.err
    judged = forked_scrapy("topics", "check", "clc:F83", "--pages", str(job / "job.sqlite"))
    assert re.search(r"^1 \D+ 1 \D+0\.5 ", judged.out, re.MULTILINE)


def test_a_word_of_one_character_is_crawled_for_and_searched_through_invisible_characters(
    crawl: Crawl, forked_scrapy: Any
) -> None:
    cats = "一只猫每天要喝水，\u200b猫喜欢安静，⻓期吃猫\u200b粮。ｶﾒﾗ\x08 ofﬁce。" * 20
    pages = {
        HUB: page("导航", "网址大全", ("/cat", "第一页"), ("/mall", "第二页")),
        f"{HUB}cat": page("养\u200b猫", cats),
        f"{HUB}mall": page("天猫", "天猫超市促销，熊猫玩偶打折，全场包邮。" * 20),
    }
    ran = crawl(pages, topic=None, keywords="猫,C", strategy=None)
    assert "the word C of the topic can match no page" in ran.err
    job = ran.job
    [record] = stored(job).values()
    assert (record.url, record.title) == (f"{HUB}cat", "养猫")
    text = record.text
    assert "\u200b" not in text
    assert "\x08" not in text
    for query in ("猫", "喜歡", "长期", "カメラ", "office"):
        found = forked_scrapy("search", query, "--job", str(job), "--json")
        assert (found.code, found.out.count("\n")) == (0, 1), (query, found.err)
    none = forked_scrapy("search", "狗", "--job", str(job))
    assert none.err.startswith("query '狗': has no word that an index keeps")
