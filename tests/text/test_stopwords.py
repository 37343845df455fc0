from topiccrawler.text.segmenter import STOP_WORDS, words


def test_function_words_and_menu_words_are_listed_and_topic_words_are_not() -> None:
    assert {"我们", "因为", "更多", "首页", "下一页", "the", "http"} <= STOP_WORDS
    assert not STOP_WORDS & {"基金", "股票", "旅游", "健康", "足球", "医院"}


def test_every_stop_word_is_long_enough_to_be_met() -> None:
    assert [word for word in sorted(STOP_WORDS) if len(word) < 2] == []


def test_stop_words_stay_in_the_stream() -> None:
    assert words("我们的基金") == ["我们", "基金"]
