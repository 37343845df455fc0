"""What a page classifier counts of a page, by hand."""

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import Lists, counts_of, is_pair, plain

PAGE = PageWords(title=["基金", "净值"], body=["银行", "基金", "银行", "基金"])


def test_a_title_counts_five_fold_and_apart() -> None:
    assert counts_of(PAGE, title_apart=False) == {"银行": 2, "基金": 7, "净值": 5}
    assert counts_of(PAGE) == {"银行": 2, "基金": 7, "净值": 5, "title:基金": 2, "title:净值": 2}


def test_neighbours_count_as_one_within_their_field() -> None:
    counts = counts_of(PAGE, title_apart=False, pairs=True)
    pairs = {feature: count for feature, count in counts.items() if is_pair(feature)}
    assert pairs == {"银行 基金": 2, "基金 银行": 1, "基金 净值": 5}


def test_of_neighbours_only_the_known_are_counted() -> None:
    counts = counts_of(PAGE, title_apart=False, pairs=True, known={"基金 银行", "基金 净值"})
    assert counts == {"银行": 2, "基金": 7, "净值": 5, "基金 银行": 1, "基金 净值": 5}


def test_a_list_counts_its_words_by_weight_and_stays_away_without_any() -> None:
    lists = Lists({"finance": {"基金": 1.0, "银行": 0.5}, "sport": {"足球": 1.0}})
    counts = counts_of(PAGE, title_apart=False, lists=lists)
    assert counts == {"银行": 2, "基金": 7, "净值": 5, "list:finance": 1 + 7 + 0.5 * 2}


def test_what_a_feature_stands_for() -> None:
    assert [plain(feature) for feature in ("title:基金", "基金", "基金 银行")] == [
        "基金",
        "基金",
        "基金 银行",
    ]
