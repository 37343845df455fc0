from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings

from topiccrawler import settings as ours
from topiccrawler.crawling.settings_check import EXPECTED, check_names, check_settings
from topiccrawler.errors import ArgumentError


def with_one(name: str, value: Any) -> Settings:
    settings = Settings()
    settings.setmodule(ours)
    settings.set(name, value)
    return settings


def test_the_projects_own_settings_pass_and_each_number_and_switch_of_ours_is_looked_at() -> None:
    check_settings(with_one("TOPIC", "finance"))
    check_settings(Settings())  # another project's, which has none of them
    numbers = {
        name
        for name, value in vars(ours).items()
        if name.startswith(("TOPIC_", "FRONTIER_")) and isinstance(value, bool | int | float)
    }
    assert len(numbers) > 20
    assert numbers <= set(EXPECTED)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("FRONTIER_BACKOFF_SECONDS", "abc", "a number of 0 or more; the project's is 10.0"),
        ("FRONTIER_BACKOFF_SECONDS", "nan", "a number of 0 or more"),
        ("FRONTIER_PATIENCE_SECONDS", -1, "a number of 0 or more"),
        ("FRONTIER_HOST_PAGES", "1.5", "a whole number of 0 or more"),
        ("FRONTIER_HOST_PAGES", 1.5, "a whole number of 0 or more"),
        ("FRONTIER_CHECKPOINT_PAGES", "0", "a whole number of 1 or more; the project's is 100"),
        ("TOPIC_LINK_THRESHOLD", "1.2", "a number from 0 to 1"),
        ("TOPIC_SEED", "x", "a whole number; the project's is 0"),
        ("TOPIC_PRIVATE_NETWORK", "maybe", "True or False; the project's is False"),
        ("TOPIC_DUPLICATES", "hide", "one of alias, drop, keep; the project's is alias"),
        ("CONCURRENT_REQUESTS", "-1", "a whole number of 0 or more; the project's is 32"),
        ("CONCURRENT_ITEMS", "0", "a whole number of 1 or more; the project's is 8"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "0", "a whole number of 1 or more; the project's is 1"),
        ("DOWNLOAD_DELAY", "", "a number of 0 or more; the project's is 1.0"),
    ],
)
def test_a_wrong_one_is_a_line_with_its_name_value_and_what_is_expected(
    name: str, value: Any, expected: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        check_settings(with_one(name, value))
    assert str(caught.value).startswith(f"setting {name}: is {value!r}; it must be {expected}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRONTIER_BACKOFF_SECONDS", "1e1"),
        ("FRONTIER_HOST_PAGES", 3.0),
        ("TOPIC_LINK_THRESHOLD", "0.5"),
        ("TOPIC_SEED", "-7"),
        ("TOPIC_PRIVATE_NETWORK", "1"),
        ("TOPIC_LEARN", True),
        ("DOWNLOAD_TIMEOUT", 0.5),
    ],
)
def test_what_scrapy_reads_passes(name: str, value: Any) -> None:
    check_settings(with_one(name, value))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("TOPIC_DATA_DRI", "did you mean TOPIC_DATA_DIR?"),
        ("TOPIC_PAGE_THRESHOLD", "did you mean TOPIC_LINK_THRESHOLD?"),
        ("FRONTIER_XYZZY", "docs/settings.md lists them"),
    ],
)
def test_a_name_that_is_none_is_refused_where_it_was_typed(name: str, remedy: str) -> None:
    settings = with_one("TOPIC_SEED", 1)
    settings.set(name, "abc", "cmdline")
    with pytest.raises(ArgumentError) as caught:
        check_names(settings)
    assert str(caught.value) == f"setting {name}: is not known; {remedy}"


def test_a_projects_own_name_is_a_warning_unless_it_is_nearly_one_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    check_names(with_one("TOPIC_XYZZY", 1))
    [record] = caplog.records
    assert "TOPIC_XYZZY" in record.getMessage()
    with pytest.raises(ArgumentError, match=r"FRONTIER_HOST_PAGES\?"):
        check_names(with_one("FRONTIER_HOST_PAGE", 1))
