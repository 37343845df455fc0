"""Topics of a user's own, by `scrapy crawl topic` as a user types it: words, and a class of the library classification."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.engine.ending import MARK

pytestmark = pytest.mark.slow

FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "LOG_LEVEL=INFO")


def page(title: str, text: str, *links: tuple[str, str]) -> str:
    """A page with a title, a paragraph and links."""
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p><ul>{anchors}</ul></body></html>"


def test_words_and_a_seed_are_enough_for_a_crawl_and_its_topic_is_a_file_for_the_next(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web(
        {
            "http://hub.example/": page(
                "导航", "网址大全", ("/ev", "小区见闻"), ("/lend", "投诉"), ("/ball", "比赛")
            ),
            "http://hub.example/ev": page("小区充电桩", "充电桩和纯电动车的续航与换电站。" * 20),
            "http://hub.example/lend": page("充电宝投诉", "租的充电宝坏了，客服不理，要求退款。" * 20),
            "http://hub.example/ball": page("主场赢球", "主场两比一赢球，门将扑出了点球。" * 20),
        }
    )

    def crawled(job: str, *arguments: str) -> Any:
        folder = ("-s", f"TOPIC_DATA_DIR={tmp_path}", "-s", f"TOPIC_JOB={job}")
        seeds = ("-a", "seeds=http://hub.example/")
        ran = forked_scrapy("crawl", "topic", *arguments, *seeds, *folder, *FAST, proxy=web.proxy)
        assert ran.code == 0, ran.err
        with closing(sqlite3.connect(tmp_path / job / "job.sqlite")) as store:
            return ran, {url for (url,) in store.execute("SELECT url FROM pages")}

    words = ("-a", "keywords=充电桩:2,纯电动,换电站")
    ran, kept = crawled("words", *words)
    file = tmp_path / "words" / "topic.toml"
    assert " 充电桩 纯电动 换电站: " in ran.err
    assert re.search(r": 充电桩 2, 纯电动 1, 换电站 1; \d+ ", ran.err)
    assert re.search(rf"; .*: {re.escape(str(file))}$", ran.err, re.MULTILINE)
    assert "Topic 充电桩、纯电动、换电站, strategy adaptive" in ran.err
    assert "keywords-" not in ran.err
    look = ran.err.partition(f"{MARK}\n")[2]
    assert re.search(r":\n    0\.\d{3}  小区充电桩  http://hub\.example/ev\n", look)
    assert re.search(r"    0\.\d{3}  not kept  主场赢球  http://hub\.example/ball\n", look)
    assert re.search(
        rf" 充电桩、纯电动、换电站\? .*: scrapy topics teach {re.escape(str(tmp_path))}/words\n", look
    )
    assert "http://hub.example/ev" in kept
    assert "http://hub.example/ball" not in kept
    assert crawled("file", "-a", f"topic={file}")[1] == kept
    # 充电宝 is cut to 充电, a word near these; the words alone tell it from 充电桩
    alone = crawled("alone", *words, "-s", "TOPIC_PROPOSED_WORDS=0")[1]
    assert alone == {"http://hub.example/ev"}


def test_a_class_of_the_library_classification_is_crawled_for_and_kept_as_a_file(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web(
        {
            "http://hub.example/": page("导航", "网址大全", ("/bank", "第一页"), ("/ball", "第二页")),
            "http://hub.example/bank": page("银行和金融", "银行的存款与贷款，金融和货币的流通。" * 20),
            "http://hub.example/ball": page("足球", "球队赢得了比赛，门将扑出了点球。" * 20),
        }
    )
    ran = forked_scrapy(
        "crawl", "topic", "-a", "topic=clc:F83", "-a", "seeds=http://hub.example/",
        "-s", f"TOPIC_DATA_DIR={tmp_path}", "-s", "TOPIC_JOB=class", *FAST, proxy=web.proxy,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    job = tmp_path / "class"
    with closing(sqlite3.connect(job / "job.sqlite")) as store:
        assert store.execute("SELECT url FROM pages").fetchall() == [("http://hub.example/bank",)]
    assert 'name = "clc-f83"' in (job / "topic.toml").read_text(encoding="utf-8")
    printed = forked_scrapy("explain", "http://hub.example/bank", "--job", str(job))
    assert printed.code == 0, printed.err
    judged = forked_scrapy("topics", "check", "clc:F83", "--pages", str(job / "job.sqlite"))
    assert re.search(r"^1 \D+ 1 \D+0\.5 ", judged.out, re.MULTILINE)


def test_a_word_of_one_character_is_crawled_for_and_searched_through_invisible_characters(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web(
        {
            "http://hub.example/": page("导航", "网址大全", ("/cat", "第一页"), ("/mall", "第二页")),
            "http://hub.example/cat": page(
                "养\u200b猫", "一只猫每天要喝水，\u200b猫喜欢安静，⻓期吃猫\u200b粮。ｶﾒﾗ\x08 ofﬁce。" * 20
            ),
            "http://hub.example/mall": page("天猫", "天猫超市促销，熊猫玩偶打折，全场包邮。" * 20),
        }
    )
    ran = forked_scrapy(
        "crawl", "topic", "-a", "keywords=猫,C", "-a", "seeds=http://hub.example/",
        "-s", f"TOPIC_DATA_DIR={tmp_path}", "-s", "TOPIC_JOB=cats", *FAST, proxy=web.proxy,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "the word C of the topic can match no page" in ran.err
    job = tmp_path / "cats"
    with closing(sqlite3.connect(job / "job.sqlite")) as store:
        ((url, title, text),) = store.execute("SELECT url, title, text FROM pages").fetchall()
    assert (url, title) == ("http://hub.example/cat", "养猫")
    assert "\u200b" not in text
    assert "\x08" not in text
    for query in ("猫", "喜歡", "长期", "カメラ", "office"):
        found = forked_scrapy("search", query, "--job", str(job), "--json")
        assert (found.code, found.out.count("\n")) == (0, 1), (query, found.err)
    assert forked_scrapy("search", "狗", "--job", str(job)).err.startswith(
        "query '狗': has no word that an index keeps"
    )
