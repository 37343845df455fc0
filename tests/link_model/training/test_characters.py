"""Characters beside words, on headlines."""

from __future__ import annotations

import math
import random

import pytest

from topiccrawler.link_model.training.characters import (
    TRUST,
    CharacterModel,
    Headline,
    character_row,
    features,
)
from topiccrawler.text.tokenise import words


def headline(text: str, positive: bool) -> Headline:
    return Headline(text, words(text), positive)


def test_a_headline_gives_words_pairs_and_characters_as_they_stand() -> None:
    assert features(headline(" A股跌3% ", True)) == {
        "words": frozenset({"a股"}),
        "pairs": frozenset({"A股", "股跌", "跌3", "3%"}),
        "characters": frozenset("A股跌3%"),
    }


def test_a_score_is_the_sum_in_the_formula() -> None:
    only = {"words": frozenset({"基金"}), "pairs": frozenset[str](), "characters": frozenset[str]()}
    other = {"words": frozenset({"足球"}), "pairs": frozenset[str](), "characters": frozenset[str]()}
    model = CharacterModel([(only, True), (only, True), (other, False)])
    share = 3 / 5  # (2 + 1) / (3 + 2)
    prior = math.log(share / (1 - share))
    told = math.log((2 + 2 * share) / (0 + 2 * (1 - share))) - prior
    assert model.log_odds(only) == pytest.approx(prior + TRUST["words"] * told)
    assert model.log_odds({**other, "words": frozenset({"天气"})}) == pytest.approx(prior)


def test_a_word_never_met_is_read_by_its_characters() -> None:
    known = [
        headline("债券上涨", True),
        headline("股市震荡", True),
        headline("足球决赛", False),
        headline("电影上映", False),
    ]
    model = CharacterModel((features(one), one.positive) for one in known)
    on, off = (model.log_odds(features(headline(text, True))) for text in ("股债", "影赛"))
    assert on > 0 > off


def test_the_row_is_measured_on_what_was_kept_aside_at_a_threshold_from_the_rest() -> None:
    rng = random.Random(2)
    drawn = [
        headline(
            "".join(
                rng.sample(
                    ["基金", "股票", "债券", "行情"] if at % 2 else ["足球", "电影", "酒店", "明星"], 2
                )
            ),
            bool(at % 2),
        )
        for at in range(120)
    ]
    kept, aside = drawn[:80], drawn[80:]
    found = character_row("characters", kept, aside, seed=1)
    assert (found.name, found.samples, found.precision, found.recall, found.f1) == (
        "characters",
        40,
        1.0,
        1.0,
        1.0,
    )
    turned = [one._replace(positive=not one.positive) for one in aside]
    assert character_row("characters", kept, turned, seed=1).f1 == 0.0
    assert character_row("characters", kept, aside, seed=1) == found
