"""Numbers of names stay while the name is known, and those of forgotten names are given out again."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.strategies.numbering import Numbering

NAMES = st.sampled_from(["", "a", "b", "c", "d", "e", "f"])


def test_a_new_name_gets_the_lowest_gap() -> None:
    numbering = Numbering("abcd")
    numbering.forget(np.array([2, 0]))
    assert [numbering.add(name) for name in "xyz"] == [0, 2, 4]
    assert numbering.of(["z", "b", "x"]).tolist() == [4, 1, 0]
    assert numbering.get("a") is None


@given(st.lists(st.tuples(st.booleans(), NAMES)))
def test_a_name_keeps_its_number_and_shares_it_with_nobody(steps: list[tuple[bool, str]]) -> None:
    numbering, numbers = Numbering(), dict[str, int]()
    for comes, name in steps:
        if comes and name not in numbering:
            numbers[name] = numbering.add(name)
        elif not comes and name in numbering:
            numbering.forget(np.array([numbers.pop(name)]))
        numbering = Numbering.load(json.loads(json.dumps(numbering.save())))
        assert {name: numbering[name] for name in numbering} == numbers
        assert len(set(numbers.values())) == len(numbering) <= numbering.size <= 7
        assert np.flatnonzero(numbering.used()).tolist() == sorted(numbers.values())
