"""What a page classifier counts of a page, by hand."""

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import counts_of, is_pair

PAGE = PageWords(title=["基金", "净值"], body=["银行", "基金", "银行", "基金"])


def test_neighbours_count_as_one_within_their_field() -> None:
    counts = counts_of(PAGE, title_apart=False, pairs=True)
    pairs = {feature: count for feature, count in counts.items() if is_pair(feature)}
    assert pairs == {"银行 基金": 2, "基金 银行": 1, "基金 净值": 5}


def test_of_neighbours_only_the_known_are_counted() -> None:
    counts = counts_of(PAGE, title_apart=False, pairs=True, known={"基金 银行", "基金 净值"})
    assert counts == {"银行": 2, "基金": 7, "净值": 5, "基金 银行": 1, "基金 净值": 5}
