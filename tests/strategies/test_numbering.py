"""Numbers of names stay while the name is known, and those of forgotten names are given out again."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.strategies.numbering import Numbering

NAMES = st.sampled_from(["", "a", "b", "c", "d", "e", "f"])


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
