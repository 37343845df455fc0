import re
from typing import Any

import pytest
from scrapy.settings import Settings

from topiccrawler import settings as ours
from topiccrawler.crawling.settings_check import CheckedSettings, check_names, check_settings
from topiccrawler.errors import ArgumentError

VALUE = re.compile(r"\d[\d.]*|True|False|alias|drop|keep")


def with_one(name: str, value: Any) -> Settings:
    settings = Settings()
    settings.setmodule(ours)
    settings.set(name, value)
    return settings


OURS = re.compile("(TOPIC|FRONTIER|WARC|REPLAY)(_|$)|(REDIS|STORE)_URL")


def test_the_projects_own_settings_pass_and_each_of_ours_is_looked_at() -> None:
    check_settings(with_one("TOPIC", "finance"))
    check_settings(Settings())  # another project's, which has none of them
    found = {name for name in vars(ours) if OURS.match(name)}
    looked_at = {name for name in CheckedSettings.model_fields if OURS.match(name)}
    assert found == looked_at - {"REPLAY_WARC", "REPLAY_PACED"}
    assert len(looked_at) <= 45


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("FRONTIER_BACKOFF_SECONDS", "abc", ["0"]),
        ("FRONTIER_BACKOFF_SECONDS", "nan", ["0"]),
        ("FRONTIER_BACKOFF_SECONDS", -1, ["0"]),
        ("FRONTIER_HOST_PAGES", "1.5", ["0"]),
        ("FRONTIER_HOST_PAGES", 1.5, ["0"]),
        ("FRONTIER_HOST_PAGES", "3.0", ["0"]),
        ("FRONTIER_URL_TRIES", "0", ["1"]),
        ("TOPIC_LINK_THRESHOLD", "1.2", ["0", "1"]),
        ("TOPIC_SEED", "x", []),
        ("TOPIC_PRIVATE_NETWORK", "maybe", ["True", "False"]),
        ("TOPIC_PRIVATE_NETWORK", "yes", ["True", "False"]),
        ("TOPIC_DUPLICATES", "hide", ["alias", "drop", "keep"]),
        ("TOPIC_EXPAND", "some", []),
        ("TOPIC_DATA_DIR", 3, []),
        ("TOPIC_RENDERED_HOSTS", 3, []),
        ("CONCURRENT_REQUESTS", "-1", ["0"]),
        ("CONCURRENT_ITEMS", "0", ["1"]),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "0", ["1"]),
        ("DOWNLOAD_DELAY", "", ["0"]),
    ],
)
def test_a_wrong_one_is_a_line_with_its_name_value_and_what_is_expected(
    name: str, value: Any, expected: list[str]
) -> None:
    with pytest.raises(ArgumentError) as caught:
        check_settings(with_one(name, value))
    assert caught.value.what == f"setting {name}"
    assert repr(value) in caught.value.fault
    own = getattr(ours, name)
    assert VALUE.findall(caught.value.remedy) == [*expected, *VALUE.findall(str(own))]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("TOPIC_DATA_DRI", "TOPIC_DATA_DIR"),
        ("TOPIC_PAGE_THRESHOLD", "TOPIC_LINK_THRESHOLD"),
        ("FRONTIER_XYZZY", "docs/settings.md"),
    ],
)
def test_a_name_that_is_none_is_refused_where_it_was_typed(name: str, remedy: str) -> None:
    settings = with_one("TOPIC_SEED", 1)
    settings.set(name, "abc", "cmdline")
    with pytest.raises(ArgumentError) as caught:
        check_names(settings)
    assert caught.value.what == f"setting {name}"
    assert remedy in caught.value.remedy


def test_a_projects_own_name_is_a_warning_unless_it_is_nearly_one_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    check_names(with_one("TOPIC_XYZZY", 1))
    [record] = caplog.records
    assert "TOPIC_XYZZY" in record.getMessage()
    with pytest.raises(ArgumentError, match=r"FRONTIER_HOST_PAGES\?"):
        check_names(with_one("FRONTIER_HOST_PAGE", 1))
