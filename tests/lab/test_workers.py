from __future__ import annotations

import math
import os

import pytest

from topiccrawler.errors import CrawlerError
from topiccrawler.lab.workers import Workers

pytestmark = pytest.mark.slow


def test_several_jobs_run_elsewhere_and_keep_their_numbers_and_a_fault_in_one_comes_up() -> None:
    with Workers(2) as workers:
        assert sorted(workers.run(abs, [-2, 1, -3])) == [(0, 2), (1, 1), (2, 3)]
        assert dict(workers.run(os.path.basename, ["a/b", "c/d"])) == {0: "b", 1: "d"}
        with pytest.raises(ValueError, match="negative"):
            list(workers.run(math.factorial, [-1]))


def test_a_worker_that_dies_is_one_clear_line() -> None:
    with pytest.raises(CrawlerError, match="--jobs 1"), Workers(2) as workers:
        list(workers.run(os._exit, [9]))
