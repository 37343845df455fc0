"""Best sentences for a topic."""

from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.pages.metadata import GAP, MOST_CHARACTERS, Summariser

FINANCE = Summariser({"基金": 1.0, "股票": 0.5, "债券": 0.5})


def test_the_sentences_with_most_topic_words_are_displayed_in_text_order() -> None:
    text = (
        "本报上海讯，记者报道。"
        + "今天天气很好，适合出门走走。" * 12
        + "\n基金净值上涨了。股票也涨了！午饭很好吃，人也很多。债券持平，基金持平。"
    )
    assert FINANCE.summary(text) == f"基金净值上涨了。股票也涨了！{GAP}债券持平，基金持平。"


def test_without_topic_words_the_opening_is_the_summary() -> None:
    text = "".join(f"第{number}句话说的是别的事情。" for number in range(60))
    summary = FINANCE.summary(text)
    assert text.startswith(summary)
    assert MOST_CHARACTERS - 20 < len(summary) <= MOST_CHARACTERS


def test_traditional_and_wide_forms_are_found_and_shown_as_they_stand() -> None:
    assert (
        Summariser({"a股": 1.0, "债券": 1.0})
        .summary("無關的一句話。Ａ股與債券上漲。")
        .endswith("Ａ股與債券上漲。")
    )


def test_one_endless_sentence_is_cut() -> None:
    assert len(FINANCE.summary("基金" * 5000)) == MOST_CHARACTERS + len(GAP)


@given(st.text(max_size=500))
def test_a_summary_is_short_whatever_the_text(text: str) -> None:
    assert len(FINANCE.summary(text)) <= 2 * MOST_CHARACTERS + len(GAP)
