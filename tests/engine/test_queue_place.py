"""What JOBDIR, REDIS_URL and the name of a crawl may say together."""

import re

import pytest
from scrapy.settings import Settings

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe, parse_arguments
from topiccrawler.engine.queue_place import _recipe, queue_place
from topiccrawler.errors import ArgumentError

URL = "redis://me:secret@queue.example:6379/0"


def place(arguments: dict[str, str], **settings: str) -> object:
    return queue_place(parse_arguments(arguments, topic="finance", strategy="adaptive"), Settings(settings))


@pytest.mark.parametrize(
    ("arguments", "settings", "fault"),
    [
        ({"job": "money"}, {}, "-a job=money: .* -s REDIS_URL=redis://HOST:6379/0"),
        ({}, {"REDIS_URL": URL}, "queue.example:6379/0: .*-a job="),
        ({"job": "a/b"}, {"REDIS_URL": URL}, "job name 'a/b': "),
        ({"job": "a"}, {"REDIS_URL": "http://me:secret@queue.example"}, "REDIS_URL"),
        ({"job": "a"}, {"REDIS_URL": "redis://:secret@queue.example:port"}, "REDIS_URL"),
        ({"job": "a"}, {"REDIS_URL": f"{URL},redis://b:secret@h:7"}, "h:7: .*Redis Cluster"),
        ({"job": "a"}, {"REDIS_URL": URL, "JOBDIR": "job"}, "JOBDIR=job: .*queue.example"),
    ],
)
def test_what_does_not_fit_is_one_line_without_the_password(
    arguments: dict[str, str], settings: dict[str, str], fault: str
) -> None:
    with pytest.raises(ArgumentError) as failed:
        place(arguments, **settings)
    assert re.search(fault, str(failed.value))
    assert "secret" not in str(failed.value)


def test_a_crawl_in_redis_is_named_by_the_argument_or_the_setting() -> None:
    assert getattr(place({"job": "money"}, REDIS_URL=URL, TOPIC_JOB="folder"), "job", "") == "money"
    assert getattr(place({}, REDIS_URL=URL, TOPIC_JOB="money"), "job", "") == "money"


def test_pages_of_one_crawl_lie_in_one_place() -> None:
    apart, together = (
        _recipe(assemble(Recipe("finance", "breadth_first", store=store)), [])
        for store in ("", "postgresql://h/d")
    )
    assert together == {**apart, "page store": "PostgreSQL"}
