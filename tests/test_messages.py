"""Messages of the command line in Chinese, where the locale is Chinese; English costs nothing."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from topiccrawler import messages
from topiccrawler.errors import ArgumentError, TopicError
from topiccrawler.messages import language, translated, translated_error
from topiccrawler.topics.catalogue import load_topic

FIRST_COMMANDS = (
    "crawl",
    "demo",
    "pages",
    "search",
    "topics",
    "seeds",
    "dashboard",
    "control",
    "explain",
    "judge",
)
HAN = re.compile("[一-鿿]")


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ""),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "zh_HK.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh-Hant"}, "zh"),
        ({"LANG": "C.UTF-8"}, ""),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, ""),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, ""),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "fr:zh:en"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en:zh"}, ""),
        ({"LANG": "C", "LANGUAGE": "zh"}, ""),
        ({"LANG": "de_DE@euro"}, ""),
    ],
)
def test_the_locale_is_found_as_gettext_does(environment: dict[str, str], expected: str) -> None:
    assert language(environment) == expected


def test_in_english_no_catalogue_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_catalogue", None)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    assert translated("the queue is empty") == "the queue is empty"
    error = ArgumentError("argument 'topic'", "is missing", "give one")
    assert translated_error(error) == str(error) == "argument 'topic': is missing; give one"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "142 pages fetched (100 in this run), 57 relevant (40%), 55 kept: 50 html, 5 pdf; 3 of them copies, without text",
            "已抓取 142 页（本次 100 页），相关 57 页（40%），保存 55 页：50 html, 5 pdf；其中 3 页为副本，不含正文",
        ),
        (
            "155 kept: 143 articles, 12 lists, 0 stubs (150 html, 5 pdf); 3 of them copies, without text",
            "保存 155 页：文章 143 页，列表 12 页，空页 0 页（150 html, 5 pdf）；其中 3 页为副本，不含正文",
        ),
        ("8 articles are kept (-a targets)", "已保存 8 篇文章（-a targets）"),
        ("3 pages fetched, 0 relevant (0%), 0 kept", "已抓取 3 页，相关 0 页（0%），保存 0 页"),
        ("ended: the queue is empty", "结束：队列已空"),
        (
            "ended: 20 pages are fetched (-a pages); 8 URLs wait, the same command with a larger number (-a pages=40) goes on with them",
            "结束：已抓取 20 页（-a pages）；还有 8 个 URL 等待，同一命令加更大的数（-a pages=40）可继续",
        ),
        ("results: /tmp/{job} the queue is empty", "结果：/tmp/{job} the queue is empty"),  # a value is kept
        ("  0.976  the queue is empty  http://a.cn/", "  0.976  the queue is empty  http://a.cn/"),
        ("not in the catalogue of messages", "not in the catalogue of messages"),
    ],
)
def test_lines_of_the_summary(said: str, expected: str) -> None:
    assert translated(said) == expected


@pytest.mark.usefixtures("chinese")
def test_errors_keep_what_the_user_wrote_and_stay_english_for_programs() -> None:
    with pytest.raises(TopicError) as refused:
        load_topic("financ")
    told = translated_error(refused.value)
    assert told.startswith("主题 'financ'：不在目录中；是否指 finance？目录中的主题：agriculture ")
    assert str(refused.value).startswith("topic 'financ': ")
    assert not HAN.search(str(refused.value))


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("name", FIRST_COMMANDS)
def test_the_help_of_the_first_commands_is_whole(name: str) -> None:
    command: Any = import_module(f"topiccrawler.commands.{name}").Command()
    command.settings = Settings()
    parser = ScrapyArgumentParser(
        formatter_class=ScrapyHelpFormatter, usage=f"scrapy {name} {command.syntax()}", description=command.long_desc()
    )  # fmt: skip
    command.add_options(parser)
    helps = list[str]()

    class Recorded(parser.formatter_class):  # type: ignore[misc, name-defined]
        def add_argument(self, action: argparse.Action) -> None:
            super().add_argument(action)
            helps.append(action.help or "")

    parser.formatter_class = Recorded
    text = parser.format_help()
    assert [
        found for found in [*helps, command.short_desc(), command.long_desc()] if not HAN.search(found)
    ] == []
    assert len(helps) > 8
    assert re.findall(r"^(\S+)\n[=-]+$", text, re.MULTILINE) == ["用法", "选项", "全局选项"]


def test_the_catalogue_has_no_message_that_the_program_does_not_make() -> None:
    package = Path(messages.__file__).parent
    code = " ".join(file.read_text(encoding="utf-8") for file in sorted(package.rglob("*.py")))
    joined = re.sub(r"""["']\s*\n\s*f?r?["']""", "", code)
    tables = (file for file in sorted(package.rglob("*.toml")) if file.parent.name != "locale")
    joined += "".join(file.read_text(encoding="utf-8") for file in tables)
    joined = joined.replace("\\\n", "")
    plain = " ".join(joined.replace('\\"', '"').split()).lower()
    pairs = list(messages.messages("zh"))
    of_scrapy = tomllib.loads((package / "locale/zh.toml").read_text(encoding="utf-8"))["scrapy"]
    of_others = (
        "input should be",
        "value error, ",
        "{field} = {value}: Value error",
        "cannot be read: No such file",
        *of_scrapy,
    )  # pydantic's and the system's
    stale = [
        text
        for text, _ in pairs
        if not text.startswith(of_others)
        for piece in re.split(r"\{\w+\}|, or |[?:;,] ", text)
        if len(piece) > 4 and piece.strip().lower() not in plain
    ]
    assert stale == []
    for text, translation in pairs:
        assert Counter(re.findall(r"\{\w+\}", text)) == Counter(re.findall(r"\{\w+\}", translation)), text


def test_no_template_hides_one_behind_it() -> None:
    templates = [text for text, _ in messages.messages("zh") if "{" in text]
    patterns = list(map(messages.pattern_of, templates))
    hidden = [
        (text, templates[before])
        for place, text in enumerate(templates)
        for before in range(place)
        if patterns[before].fullmatch(re.sub(r"\{\w+\}", "x7", text))
    ]
    assert hidden == []


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("scrapy compare: --web is missing", "scrapy compare：缺少 --web"),
        ("scrapy explain: give one URL, or --anchor TEXT", "scrapy explain：请给一个 URL，或 --anchor TEXT"),
        (
            "of export: jsonl, csv, graphml or corpus; by default as FILE ends",
            "export 的格式：jsonl, csv, graphml 或 corpus；默认按 FILE 的扩展名",
        ),
        (
            "was never met by the crawl in data/my job, or its link gate refused every link to it",
            "data/my job 的抓取从未遇到它，或链接门拒绝了指向它的所有链接",
        ),
        ("it must be auto or a whole number from 0 to 64", "必须是auto 或 0 到 64 的整数"),
        ("input should be less than or equal to 5", "应不大于 5"),
        ("is of several topics", "有多个主题"),
        ("is no address of a database that is known", "不是已知的数据库地址"),
        # without a template of their own: English, not half of it
        (
            "name the folder of a job, or one that holds folders of jobs",
            "name the folder of a job, or one that holds folders of jobs",
        ),
        ("give its command again to go on with it", "give its command again to go on with it"),
        ("there is no way back from here", "there is no way back from here"),
    ],
)
def test_a_message_is_whole_in_one_language(said: str, expected: str) -> None:
    assert translated(said) == expected


def test_a_crawl_in_a_chinese_locale(
    forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web(
        {"http://a.example/": "<title>基金</title><p>基金 股票 理财 投资</p><a href=/gone>基金</a>"}
    )
    options = [
        "-a",
        "topic=finance",
        "-a",
        "seeds=http://a.example/",
        "-s",
        f"JOBDIR={tmp_path / 'job'}",
        "-s",
        "DOWNLOAD_DELAY=0",
    ]
    ran = forked_scrapy(
        "crawl", "topic", *options, proxy=web.proxy, LANG="zh_CN.UTF-8", LANGUAGE="", LC_ALL=""
    )
    assert ran.code == 0, ran.err
    said = ran.err.rpartition("抓取摘要\n")[2].splitlines()
    assert [line for line in said if "等待" not in line][:4] == [
        "  已抓取 1 页，相关 1 页（100%），保存 1 页：文章 0 页，列表 1 页，空页 0 页（1 html）",
        "  链接门对 1 个链接请求中的 1 个评分（100%），平均概率 1.00，拒绝 0 个",
        "  本次有 1 个 URL 失败：1 http 404",
        "  最相关的已保存网页：",
    ]
    assert said[-1] == "  结束：队列已空"
    assert "Topic finance (财经), strategy adaptive" in ran.err  # the log stays as programs read it


def test_a_command_in_a_chinese_locale(forked_scrapy: Any, tmp_path: Path) -> None:
    ran = forked_scrapy("pages", str(tmp_path / "none"), LANG="zh_CN.UTF-8", LANGUAGE="", LC_ALL="")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("任务 ")
    assert "没有这个任务" in ran.err
