import math
import os

import pytest

from topiccrawler.errors import CrawlerError
from topiccrawler.lab.workers import Workers

pytestmark = pytest.mark.slow


def test_several_jobs_run_elsewhere_and_keep_their_order_and_a_fault_in_one_comes_up() -> None:
    with Workers(2) as workers:
        assert list(workers.run(abs, [-2, 1, -3])) == [2, 1, 3]
        with pytest.raises(ValueError, match="negative"):
            list(workers.run(math.factorial, [-1]))


def test_a_worker_that_dies_is_one_clear_line() -> None:
    with pytest.raises(CrawlerError, match="--jobs 1"), Workers(2) as workers:
        list(workers.run(os._exit, [9]))
