"""The synthetic web, planned once for all its tests."""

import pytest

from topiccrawler.lab.demo.plan import Web


@pytest.fixture(scope="session")
def web() -> Web:
    """The web of seed 1; read only."""
    return Web(seed=1)
