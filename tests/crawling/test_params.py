import pytest
from message_facts import one_line

from topiccrawler.crawling.recipe import parse_arguments, parse_links_arguments
from topiccrawler.errors import ArgumentError


def parse(**arguments: str) -> object:
    return parse_arguments(arguments, topic=None, strategy="naive_bayes")


def test_text_from_the_command_line_becomes_typed_values() -> None:
    params = parse_arguments(
        {
            "topic": "财经",
            "pages": "100",
            "targets": "7",
            "keywords": "基金, 定投，股票、债券 electric car",
            "strategy_gamma": "0.5",
        },
        topic=None,
        strategy="best_first",
    )
    assert (params.topic, params.pages, params.targets, params.strategy) == ("财经", 100, 7, "best_first")
    assert params.keywords == ("基金", "定投", "股票", "债券", "electric car")
    assert params.parameters == {"gamma": "0.5"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": "x"}, "argument 'topic': .* -a topic=finance"),
        ({}, "argument 'topic': .* -a topic=finance"),
        ({"topic": ""}, "argument -a topic=: "),
        ({"topic": "finance", "pages": "many"}, "argument -a pages=many: "),
        ({"topic": "finance", "pages": "0"}, r"argument -a pages=0: .*\b1\b"),
        ({"topic": "finance", "page": "3"}, "argument -a page=3: .*: topic, seeds,"),
    ],
)
def test_a_wrong_argument_is_named_with_its_fault_and_remedy(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError, match=one_line(message)):
        parse(**arguments)


def test_a_collecting_crawl_has_arguments_of_its_own_and_goes_breadth_first() -> None:
    params = parse_links_arguments({"links_per_page": "7", "unlabelled": "true"}, topic="finance")
    assert (params.topic, params.strategy, params.context) == ("finance", "breadth_first", "window")
    assert (params.links_per_page, params.links_per_host, params.links_per_site) == (7, 1000, 5000)
    assert params.unlabelled
