"""Settings that every strategy shares."""

import logging
from pathlib import Path

import pytest

from topiccrawler.crawling.recipe import thesaurus_of
from topiccrawler.text.thesaurus import shipped


def test_the_thesaurus_is_ours_none_or_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "cilin.txt"
    file.write_text("Aa01A01= 基金 公募\n" * 5, encoding="utf-8")
    assert thesaurus_of(None) is shipped()
    assert thesaurus_of(str(file)).similarity("基金", "公募") == 1.0
    with caplog.at_level(logging.INFO):
        assert thesaurus_of("none").similarity("基金", "公募") == 0.0
    assert len(caplog.messages) == 1
