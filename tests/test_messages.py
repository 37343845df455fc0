"""Help and summary in Chinese, where the locale is Chinese; English costs nothing, and errors are English."""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import crawl_words
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from topiccrawler import commands, messages
from topiccrawler.crawling import challenges
from topiccrawler.engine import ending
from topiccrawler.messages import Message, language, translated
from topiccrawler.resources import package_table

FIRST_COMMANDS = (
    "crawl", "demo", "pages", "search", "topics", "seeds", "dashboard", "control", "explain", "read",
)  # fmt: skip
COMMANDS = sorted(file.stem for file in Path(commands.__file__).parent.glob("[a-z]*.py"))
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


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("said", "english", "expected"),
    [
        (
            Message("ended: {why}", why=Message("the queue is empty")),
            "ended: the queue is empty",
            "结束：队列已空",
        ),
        (
            Message(": {article} articles, {list} lists, {stub} stubs", article=143, list=12, stub=0),
            ": 143 articles, 12 lists, 0 stubs",
            "：文章 143 页，列表 12 页，空页 0 页",
        ),
        # values are kept as they are, whatever they look like
        (
            Message("results: {place}", place="a/{job} the queue is empty"),
            "results: a/{job} the queue is empty",
            "结果：a/{job} the queue is empty",
        ),
        (Message("results: {place}", place="the queue is empty"), None, "结果：the queue is empty"),
        (Message("of no catalogue: {number}", number=3), "of no catalogue: 3", "of no catalogue: 3"),
        ("show this help\n    message and exit", None, "显示此帮助并退出"),
        ("  0.976  the queue is empty  http://a.cn/", None, "  0.976  the queue is empty  http://a.cn/"),
    ],
)
def test_a_text_is_found_by_its_english(said: str, english: str | None, expected: str) -> None:
    assert translated(said) == expected
    assert english is None or said == english


def helps_of(name: str) -> tuple[list[str], str]:
    """All help texts of a command, in the user's language, and its whole help."""
    command: Any = import_module(f"topiccrawler.commands.{name}").Command()
    command.settings = Settings()
    command.settings.setmodule("topiccrawler.settings", priority="project")
    parser = ScrapyArgumentParser(
        formatter_class=ScrapyHelpFormatter, usage=f"scrapy {name} {command.syntax()}", description=command.long_desc()
    )  # fmt: skip
    command.add_options(parser)
    helps = [command.short_desc(), command.long_desc()]

    class Recorded(parser.formatter_class):  # type: ignore[misc, name-defined]
        def add_argument(self, action: argparse.Action) -> None:
            super().add_argument(action)
            helps.append(action.help or "")

        def start_section(self, heading: str | None) -> None:
            super().start_section(heading)
            helps.append(heading or "")

    parser.formatter_class = Recorded
    return helps, parser.format_help()


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("name", FIRST_COMMANDS)
def test_the_help_of_the_first_commands_is_whole(name: str) -> None:
    helps, text = helps_of(name)
    headings = {None, "", "positional arguments"}
    assert [found for found in helps if not HAN.search(translated(found)) and found not in headings] == []
    assert len(helps) > 10
    assert re.findall(r"^(\S+)\n[=-]+$", text, re.MULTILINE) == ["用法", "选项", "全局选项"]


def test_each_translation_of_help_is_of_a_text_that_a_command_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    texts = {" ".join(text.split()) for name in COMMANDS for text in helps_of(name)[0]} | {"Usage"}
    unused = [*catalogue("help"), *catalogue("scrapy")]
    scrapys_default = "log level (default: DEBUG)"
    assert [text for text in unused if text not in texts] == [scrapys_default]


def catalogue(part: str) -> dict[str, str]:
    return package_table("locale/zh.toml")[part]


def templates() -> Iterator[str]:
    """The template of each Message that the package makes."""
    others = []
    for file in sorted(Path(messages.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message":
                (template,) = node.args
                if isinstance(template, ast.Constant):
                    yield str(template.value)
                else:
                    others.append(file.name)
    assert others == ["challenges.py", "ending.py"]
    yield from (*challenges._LINES.values(), *ending._WORDS.values())


def test_each_message_has_a_translation_with_its_values_and_each_translation_a_message() -> None:
    assert sorted(set(templates())) == sorted(catalogue("summary"))
    for part in ("summary", "help", "scrapy"):
        for text, translation in catalogue(part).items():
            assert HAN.search(translation) or not text.strip(" :;").isalpha(), text
            if part == "summary":
                holes = [Counter(re.findall(r"\{\w+\}", one)) for one in (text, translation)]
                assert holes[0] == holes[1], text


def test_a_crawl_in_a_chinese_locale(
    forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    seed = "http://a.example/"
    web = draw_web({seed: "<title>基金</title><p>基金 股票 理财 投资</p><a href=/gone>基金</a>"})
    words = crawl_words(tmp_path / "job", seeds=seed, strategy=None)
    ran = forked_scrapy(*words, proxy=web.proxy, LANG="zh_CN.UTF-8", LANGUAGE="", LC_ALL="")
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


def test_errors_are_english_in_a_chinese_locale_too(forked_scrapy: Any, tmp_path: Path) -> None:
    ran = forked_scrapy("pages", str(tmp_path / "none"), LANG="zh_CN.UTF-8", LANGUAGE="", LC_ALL="")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("job ")
    assert "there is no such job" in ran.err
    assert not HAN.search(ran.err)
