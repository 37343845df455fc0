"""Headlines known by their source, and helped by words of like use."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from topiccrawler.link_model.training.characters import Headline, character_row
from topiccrawler.link_model.training.headlines import counted_rows, headline, like_words, sourced_row
from topiccrawler.link_model.training.likewords import LikeWords
from topiccrawler.topics.labelled_texts import LabelledText

ON, OFF, TORN = ("基金", "股票", "债券"), ("足球", "电影", "酒店"), ("区块链", "房价", "奢侈品")


def drawn(count: int, seed: int) -> list[Headline]:
    """Two sources, which disagree on what the words of TORN are about."""
    rng = random.Random(seed)
    found = []
    for at in range(count):
        source = ("paper", "wire")[at % 2]
        words = (rng.choice((ON, OFF, TORN)), rng.choice(("今天", "昨天", "明天")))
        word = rng.choice(words[0])
        positive = word in ON or (word in TORN and source == "wire")
        text = f"{word}{rng.choice(words[1])}"
        found.append(Headline(text, [word, text[len(word) :]], positive, source))
    return found


def test_sources_that_disagree_are_told_apart() -> None:
    kept, aside = drawn(1_200, 1), drawn(300, 2)
    blurred = character_row("c", kept, aside, seed=3)
    found = sourced_row("s", kept, aside, seed=3)
    assert (found.name, found.samples, found.precision, found.recall, found.f1) == ("s", 300, 1.0, 1.0, 1.0)
    assert blurred.best_f1 < 0.9
    assert sourced_row("s", kept, aside, seed=3) == found


def test_what_is_off_topic_is_told_by_its_own_label() -> None:
    rng = random.Random(3)
    labels = {"finance": ("利率", "国债"), "house": ("利率", "户型"), "car": ("国债", "轮胎")}
    kept, aside = (
        [
            Headline("".join(pair), pair, label == "finance", "", label)
            for label in labels
            for pair in ([rng.choice(labels[label]), rng.choice(labels[label])] for _ in range(count))
        ]
        for count in (300, 60)
    )
    nameless = [one._replace(label="") for one in kept]
    named, plain = (sourced_row("s", part, aside, 0) for part in (kept, nameless))
    assert named.best_f1 >= plain.best_f1
    assert [row.name for row in counted_rows(kept, aside, 0, None)] == [
        "headlines: + characters", "headlines: + sources"
    ]  # fmt: skip
    assert named != plain


def test_a_source_that_training_has_hardly_met_is_read_as_one_without_a_name() -> None:
    kept = [*drawn(1_200, 1), *(one._replace(source="rare") for one in drawn(40, 4))]
    plain = [one for one in drawn(300, 2) if one.words[0] not in TORN]
    for source in ("", "rare", "never met"):
        asked = [one._replace(source=source) for one in plain]
        assert sourced_row("s", kept, asked, seed=3).best_f1 == 1.0


def test_the_threshold_comes_from_the_training_part_alone() -> None:
    kept, aside = drawn(1_200, 1), drawn(300, 2)
    turned = [one._replace(positive=not one.positive) for one in aside]
    assert sourced_row("s", kept, turned, seed=3).f1 == 0.0


def test_a_word_that_training_has_not_met_is_read_by_words_of_like_use() -> None:
    rng = random.Random(7)
    around = {"+": ("投资", "收益", "银行", "市场"), "-": ("比赛", "冠军", "教练", "球员")}
    nouns = {"+": ("基金", "股票", "涨停"), "-": ("足球", "篮球", "世界杯")}
    texts = [
        f"{rng.choice(around[side])} {rng.choice(nouns[side])} {rng.choice(around[side])} 第{at}号"
        for at in range(800)
        for side in "+-"
    ]
    kept = [
        Headline(word, [word], side == "+", source)
        for source in ("paper", "wire")
        for side in "+-"
        for word in nouns[side][:2]
        for _ in range(80)
    ]
    aside = [Headline("涨停", ["涨停"], True, "wire"), Headline("世界杯", ["世界杯"], False, "wire")] * 5
    assert sourced_row("l", kept, aside, 0, LikeWords(texts)).best_f1 == 1.0
    assert sourced_row("l", kept, aside, 0).best_f1 == pytest.approx(2 / 3)


def test_rows_are_those_that_the_data_allow() -> None:
    kept, aside = drawn(400, 1), drawn(100, 2)
    nameless = [[one._replace(source="") for one in part] for part in (kept, aside)]
    like = LikeWords(())
    names: Sequence[Sequence[str]] = [
        [row.name for row in counted_rows(*parts, 0, known)]
        for parts, known in (((kept, aside), None), (tuple(nameless), None), ((kept, aside), like))
    ]
    assert names == [
        ["headlines: + characters", "headlines: + sources"],
        ["headlines: + characters"],
        ["headlines: + characters", "headlines: + sources", "headlines: + like words"],
    ]


def test_like_words_are_learned_when_texts_are_given_only() -> None:
    document = LabelledText("基金净值上涨", "基金净值今天上涨。" * 3, True, "finance", "")
    assert like_words((), [], [document]) is None
    found = like_words(["股票市场今天收盘上涨"] * 2, [], [document])
    assert found is not None
    assert headline(document, ["基金"]) == Headline("基金净值上涨", ["基金"], True, "", "finance")
