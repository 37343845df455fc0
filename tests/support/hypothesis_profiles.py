"""How many examples property tests try: all in `make test-all`, a third in `make test`, twenty times as many in `make fuzz`."""

import os
from pathlib import Path

from hypothesis import settings

ALL, FEW, MANY = 100, 34, 2000

for name, most in (("all", ALL), ("few", FEW), ("fuzz", MANY)):
    settings.register_profile(name, max_examples=most, deadline=None)  # a busy machine is no fault
    if not os.access(Path(__file__).parent, os.W_OK):
        settings.register_profile(name, settings.get_profile(name), database=None)


def examples(of_all: int) -> int:
    """So many, or in `make test` the third of it."""
    return -(-of_all * settings.default.max_examples // ALL)
