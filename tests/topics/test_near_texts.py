"""Texts near a topic by the word vectors."""

from __future__ import annotations

import numpy as np
import pytest

from topiccrawler.topics.near_texts import MIDDLE, SCALE, NearTexts
from topiccrawler.topics.topic import Topic


class Table:
    """Word vectors of three words; which words they were asked for."""

    def likenesses(self, given: dict[str, float]) -> dict[str, float]:
        self.given = given
        return {"股票": 0.9, "银行": 0.3, "足球": 0.0}


def test_a_text_is_as_near_as_its_words_are_in_the_mean() -> None:
    near = NearTexts(Topic(name="t", keywords={"基金": 1.0}), Table())  # type: ignore[arg-type]
    found = near.of(["股票 银行", "足球", "天气", "", "股票 银行"])
    expected = [2 * np.tanh((value - MIDDLE) / SCALE) for value in (0.6, 0.0)]
    assert found.tolist() == pytest.approx([expected[0], expected[1], 0.0, 0.0, expected[0]])


def test_words_that_a_person_gave_go_before_those_proposed() -> None:
    table = Table()
    NearTexts(Topic(name="t", keywords={"基金": 1.0, "股市": 0.4}, given=["基金"]), table)  # type: ignore[arg-type]
    assert table.given == {"基金": 1.0}
