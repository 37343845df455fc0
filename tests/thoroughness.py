"""How many examples the property tests try: all in `make test-all`, a third in `make test`."""

from __future__ import annotations

from hypothesis import settings

ALL, FEW = 100, 34

settings.register_profile("all", max_examples=ALL, deadline=None)  # a busy machine is no fault
settings.register_profile("few", max_examples=FEW, deadline=None)


def examples(of_all: int) -> int:
    """So many, or in `make test` the third of it."""
    return -(-of_all * settings.default.max_examples // ALL)
