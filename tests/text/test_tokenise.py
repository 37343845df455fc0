"""One stream of words, whichever engine cuts: the rules, and the contract between the two engines."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis_profiles import examples

from topiccrawler.text.engines import Cut, jieba_cut, rjieba_cut
from topiccrawler.text.segmenter import cut_all, words, words_of

ODD_TEXTS = [
    "2008-6-1 2_5 v2.0-beta sarah.liuhui www.example.com",
    "A股首秀,港股缩量；K线图與B超檢查,IC卡、U盘",
    "㐀㐁 𠀀𠀁 々〇 鿕鿖鿿",
    "中国人民银行决定下调存款准备金率0.5个百分点",
    "C++和C#还有F# c++11 node.js",
    "한국어 ひらがな カタカナ ไทย العربية",
    "一丁 一 丁\u0000\ufeff\u200b龥\ud800",
    "程序员（Ｐｒｏｇｒａｍｍｅｒ）ＡＢＣ１２３",
]


@cache
def engines() -> tuple[Cut, Cut]:
    return rjieba_cut(), jieba_cut()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("基金定投的收益", ["基金", "定投", "收益"]),
        ("A股首秀：港股缩量", ["a股", "首秀", "港股", "缩量"]),
        ("K线图 B超检查", ["k线", "b超", "检查"]),
        ("ic卡 WTO入世 ab股民", ["ic卡", "wto", "入世", "ab", "股民"]),
        ("学习C++和C#，c++11", ["学习", "c++", "c#", "11"]),
        ("代码600519涨停", ["代码", "600519", "涨停"]),
        ("node.js v2.0-beta", ["node", "js", "v2", "beta"]),
        ("貸款", ["贷款"]),
        ("好 a 1 ，。！", []),
        ("9" * 41 + " " + "8" * 40, ["8" * 40]),
        ("", []),
    ],
)
def test_words_follow_the_rule(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_text_alone_and_among_others_gives_the_same_words() -> None:
    assert words_of(ODD_TEXTS) == [words(text) for text in ODD_TEXTS]


@settings(max_examples=examples(200))
@given(
    st.lists(
        st.text(alphabet=st.sampled_from("中国人民银行股票的一a1b.-_ \n+#㐀Ａ貸乾，。|\0"), max_size=30),
        max_size=6,
    )
)
def test_recent_pieces_give_the_words_the_engine_gives_for_the_whole_text(texts: list[str]) -> None:
    assert words_of(texts) == cut_all(texts, engines()[0])


@settings(max_examples=examples(500))
@given(st.text(alphabet=st.sampled_from("abcABC019+#._- \n\t\r,:/|%\0"), max_size=60))
def test_a_text_of_ascii_alone_needs_no_engine_and_gives_the_same_words(text: str) -> None:
    def refuse(_: str) -> list[str]:
        raise AssertionError("asked the engine")

    assert cut_all([text], refuse) == cut_all([f"{text}，"], engines()[0])


@settings(max_examples=examples(200))
@given(
    st.lists(
        st.text(alphabet=st.sampled_from("中国人民银行股票的一a1b.-_ \n+#㐀々Ａ貸"), max_size=30), max_size=4
    )
)
@example(ODD_TEXTS)
def test_both_engines_give_one_stream_for_any_text(texts: list[str]) -> None:
    # 人人人: 人|人人 and 人人|人 are equally probable, and the engines choose differently
    assume(not any(re.search(r"(\w)\1\1", text) for text in texts))
    fast, plain = engines()
    assert cut_all(texts, fast) == cut_all(texts, plain)


def test_both_engines_give_one_stream_for_all_shared_links(shared: Path) -> None:
    texts = []
    with (shared / "links" / "links_dev.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            texts += [row["anchor"], row["left"], row["right"]]
    texts += (shared / "links" / "headlines_dev.tsv").read_text(encoding="utf-8").splitlines()
    with (shared / "links" / "docs_dev.jsonl").open(encoding="utf-8") as file:
        texts += [json.loads(line)["text"] for line in file]
    fast, plain = engines()
    assert cut_all(texts, fast) == cut_all(texts, plain)


@pytest.mark.slow
def test_jieba_starts_without_a_warning_or_a_word_and_caches_privately(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    program = (
        "import sys, pathlib; from topiccrawler.text.engines import jieba_cut;"
        "print(list(jieba_cut(cache_folder=pathlib.Path(sys.argv[1]))('基金收益')))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "['基金', '收益']\n", "")
    assert [file.name for file in folder.iterdir()] == ["jieba.cache"]
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_jieba_does_without_a_cache_where_none_can_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert list(jieba_cut(cache_folder=blocked / "cache")("基金收益")) == ["基金", "收益"]


def test_a_long_text_without_punctuation_is_cut() -> None:
    found = words("基金收益" * 100_000)
    assert (len(found), found[:2]) == (200_000, ["基金", "收益"])
