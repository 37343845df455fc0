"""Words of like use."""

from __future__ import annotations

import random

import numpy as np

from topiccrawler.link_model.training.likewords import LikeWords

MONEY, SPORT = ("基金", "股票", "债券", "期货"), ("足球", "篮球", "排球", "网球")


def sentences(count: int = 600) -> list[str]:
    rng = random.Random(5)
    around = {MONEY: ("投资", "收益", "银行", "市场"), SPORT: ("比赛", "冠军", "教练", "球员")}
    found = []
    for at in range(count):
        kind = (MONEY, SPORT)[at % 2]
        left, right = rng.sample(around[kind], 2)
        found.append(f"{left} {rng.choice(kind)} {right} 今天{at}")
    return found


def test_words_that_stand_between_the_same_neighbours_are_alike() -> None:
    like = LikeWords(["|".join(sentences())])
    words = [*MONEY, *SPORT, "从未见过"]
    table = like.nearest(words).toarray()
    money, sport = slice(0, 4), slice(4, 8)
    assert table[money, money].mean() > 5 * table[money, sport].mean()
    assert table[sport, sport].mean() > 5 * table[sport, money].mean()
    assert (np.diag(table) == 0).all()
    assert not table[8].any()
    assert not table[:, 8].any()


def test_texts_give_the_same_words_again_and_a_sentence_counts_once() -> None:
    drawn = sentences()
    once, twice = LikeWords(drawn), LikeWords([*drawn, *drawn])
    words = [*MONEY, *SPORT]
    assert len(once) == len(twice) > 8
    assert (once.nearest(words).toarray() == twice.nearest(words).toarray()).all()


def test_too_little_text_knows_no_words() -> None:
    for texts in ([], ["短"], ["只有一句话的文本没有什么用处"]):
        like = LikeWords(texts)
        assert len(like) == 0
        assert like.nearest(["文本", "用处"]).toarray().tolist() == [[0.0, 0.0], [0.0, 0.0]]
