"""The contract of the two word engines, seen through the classifier: the same link, the same score, to the last bit."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.text.segmenter import choose_engine

pytestmark = pytest.mark.slow


def test_rjieba_makes_no_engine_that_nobody_asked_for() -> None:
    """The package makes one when it is imported (24 MB); it still works for who imports it afterwards."""
    program = (
        "import sys; from topiccrawler.text.engines import rjieba_cut; "
        "print(rjieba_cut()('基金定投'), 'rjieba' in sys.modules); import rjieba; print(rjieba.cut('基金'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['基金', '定投'] False", "['基金']"]


def test_the_engine_of_a_process_can_be_chosen_and_changed() -> None:
    """In a process of its own, since the choice is for a whole process."""
    program = (
        "from topiccrawler.text import engines; from topiccrawler.text.segmenter import choose_engine, words; "
        "print(engines.in_use(), words('基金定投')); choose_engine('jieba'); import sys; before = 'jieba' in sys.modules; "
        "print(engines.in_use_with_version(), words('基金定投'), before, 'jieba' in sys.modules, engines.choice())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    cut = "['基金', '定投']"
    assert done.stdout.splitlines() == [f"rjieba {cut}", f"jieba {version('jieba')} {cut} False True jieba"]


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(
        ArgumentError, match=r"^setting TOPIC_SEGMENTER: is 'pkuseg'; it must be one of auto, jieba, rjieba"
    ):
        choose_engine("pkuseg")
