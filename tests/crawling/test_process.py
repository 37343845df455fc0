"""A crawl in a process of its own."""

from pathlib import Path

import pytest

from topiccrawler.crawling.launching import start_scrapy


@pytest.mark.slow
def test_scrapy_reads_our_settings_in_whatever_project_the_command_is_given(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as output:
        process = start_scrapy(["settings", "--get", "BOT_NAME"], output, {"SCRAPY_SETTINGS_MODULE": "json"})
        assert process.wait(60) == 0
    assert (tmp_path / "out").read_text().strip() == "topiccrawler"
