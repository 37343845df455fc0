"""The opinions of a job, in a file."""

from pathlib import Path

import pytest

from topiccrawler.errors import StateError
from topiccrawler.store.opinions import OpinionLog, StoredOpinion

FIRST = StoredOpinion("k1", "http://a.cn/1", "yes", "航天", 7.0, "火箭", "tiny")
SECOND = StoredOpinion("k2", "http://a.cn/2", "", "", 8.0, "火箭", "tiny")


def test_opinions_are_there_for_the_next_run_in_their_order(tmp_path: Path) -> None:
    log = OpinionLog(tmp_path / "opinions.jsonl")
    log.add([FIRST])
    log.add([SECOND])
    assert list(OpinionLog(log.path).by_key.values()) == [FIRST, SECOND] == list(log.by_key.values())


def test_a_line_that_a_kill_cut_short_is_left_out(tmp_path: Path) -> None:
    log = OpinionLog(tmp_path / "opinions.jsonl")
    log.add([FIRST, SECOND])
    whole = log.path.read_text(encoding="utf-8")
    log.path.write_text(f'{whole[:-9]}\n[1]\n{{"key": "k"}}\n', encoding="utf-8")
    assert OpinionLog(log.path).by_key == {"k1": FIRST}


def test_no_file_is_made_without_an_opinion(tmp_path: Path) -> None:
    assert OpinionLog(tmp_path / "opinions.jsonl").by_key == {}
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    log = OpinionLog(tmp_path / "no folder" / "opinions.jsonl")
    with pytest.raises(StateError, match=r"opinions\.jsonl: cannot be written"):
        log.add([FIRST])
