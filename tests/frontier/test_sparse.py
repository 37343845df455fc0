"""A map with few entries."""

from __future__ import annotations

import random

from topiccrawler.frontier.url_index import SparseMap


def test_it_answers_as_a_dict_does_and_zero_for_the_rest() -> None:
    draw = random.Random(3)
    sparse, plain = SparseMap(), {}
    assert sparse[0] == 0
    for value in range(1, 3000):
        number = draw.choice([draw.randrange(200), draw.randrange(300_000), 4095, 4096])
        sparse[number] = plain[number] = value
    assert {number: sparse[number] for number in plain} == plain
    assert [sparse[number] for number in range(300_100) if number not in plain].count(0) == 300_100 - len(
        plain
    )
