"""JLSE's naive Bayes by hand: eq. 1-2 over the words of sample pages, and over those of the anchors that lead to them."""

import math
from pathlib import Path

import pytest
from message_facts import one_line

from topiccrawler.errors import ModelError
from topiccrawler.model import Link
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.choose import FOLDER, anchor_classifier, make_page_classifier
from topiccrawler.relevance.published import AnchorBayes, Bayes, Counts, PublishedBayes, load, save
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.topics.catalogue import load_topic

# 2 samples about the topic: 基金 基金 利率, 净值; 1 of another: 足球 基金
COUNTS = Counts.of([(["基金", "基金", "利率"], True), (["净值"], True), (["足球", "基金"], False)])


def test_eq_1_and_2_over_every_occurrence_of_every_word() -> None:
    """
    About the topic 4 words, 3 distinct: P(w|+) = (1 + n) / 7; another 2 words, 2 distinct: P(w|-) = (1 + n) / 4. A page titled 基金 with
    the text 基金 足球 天气 (天气 is in no sample): 2/3 · (3/7)² · 1/7 to 1/3 · (2/4)² · 2/4.
    """
    own, other = 2 / 3 * (3 / 7) ** 2 / 7, 1 / 3 * (2 / 4) ** 2 * 2 / 4
    page = PageWords(title=["基金"], headings=["足球"], body=["基金", "足球", "天气"])
    classifier = PublishedBayes(COUNTS)
    assert classifier.similarity(page) == classifier.relevance(page) == pytest.approx(own / (own + other))
    shares = dict(classifier.explain(page))
    assert shares == pytest.approx({"基金": 2 * math.log(12 / 14), "足球": math.log(2 / 7)})


def test_anchors_are_scored_without_stop_words_and_by_the_best_of_several_topics() -> None:
    """No anchor of a sample had 更多: with it the score is the same, though it was counted for the other class."""
    counts = Counts(COUNTS.samples, {**COUNTS.words, "更多": (5, 0)})
    links = [Link("http://a/", "a", "更多基金"), Link("http://a/", "a", "", title="足球")]
    fund, ball = Bayes(counts).log_odds(["基金"]), Bayes(counts).log_odds(["足球"])
    assert AnchorBayes([counts]).log_odds(links) == pytest.approx([fund, ball])
    swapped = Counts(counts.samples, {"基金": (9, 0), "足球": (0, 9)})
    both = [max(one, Bayes(swapped).log_odds([word])) for one, word in ((fund, "基金"), (ball, "足球"))]
    assert AnchorBayes([counts, swapped]).log_odds(links) == pytest.approx(both)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"own": 2', '"own": 0', "own is 0"),
        ('"own": 2', '"own": NaN', "own is "),
        ('"0,1"', '"0,-1"', "two counts in its pages"),
        ('"净值 利率"', "7", "two counts in its pages"),
        ('"topiccrawler sample words"', '"words"', "format 'words'"),
        ('"pages"', '"page"', "no pages"),
        ("}}", "}", "damaged"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(old: str, new: str, fault: str, tmp_path: Path) -> None:
    place = tmp_path / "tea.published.json"
    save(place, "tea", {"pages": COUNTS}, {})
    text = place.read_text(encoding="utf-8")
    assert old in text
    place.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelError, match=one_line(f"{fault}.*naive_bayes:published=true --documents")):
        load(place)


def test_anchors_are_classified_where_every_topic_has_samples_of_them(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    finance, health = load_topic("finance"), load_topic("health")
    save(folder / "finance.published.json", "finance", {"pages": COUNTS, "anchors": COUNTS}, {})
    save(folder / "health.published.json", "health", {"pages": COUNTS}, {})
    found = anchor_classifier([finance], PLAIN, tmp_path)
    assert found.log_odds([Link("http://a/", "a", "足球")]) == [Bayes(COUNTS).log_odds(["足球"])]
    assert anchor_classifier([finance, health], PLAIN, tmp_path) is None
    assert anchor_classifier([load_topic("law")], PLAIN, tmp_path) is None
    classifier, ball = (
        make_page_classifier(health, "naive_bayes:published=true", tmp_path),
        PageWords(body=["足球"]),
    )
    assert classifier.relevance(ball) == PublishedBayes(COUNTS).relevance(ball)
    with pytest.raises(ModelError, match="scrapy train law --page-classifier naive_bayes:published=true"):
        make_page_classifier(load_topic("law"), "naive_bayes:published=true", tmp_path)
