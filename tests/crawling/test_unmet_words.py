"""The log names the words of a topic that match no page."""

import pytest

from topiccrawler.crawling.unmet_words import PAGES, UnmetWords
from topiccrawler.pages.read import PageWords
from topiccrawler.pages.site_repeats import with_words
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.topics.catalogue import topic_from_keywords
from topiccrawler.topics.meaning import understood


def page(text: str, classifier: EvidenceClassifier) -> PageWords:
    return PageWords(segments=with_words([("title", text)], classifier.topic.segmenter))


def test_a_word_that_is_on_none_of_the_first_pages_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    classifier = EvidenceClassifier(
        understood(topic_from_keywords(["上市公司治理", "猫", "基佥定投"], "own"))
    )
    unmet = UnmetWords(classifier)
    unmet.read(page("养一只猫", classifier))
    for _ in range(PAGES - 2):
        unmet.read(page("天猫与上市公司治理", classifier))
    assert caplog.messages == []
    unmet.read(page("今天的天气", classifier))
    (line,) = caplog.messages
    assert line.startswith(f"the word 基佥定投 of the topic: on none of {PAGES} pages; check the spelling")
    unmet.read(page("今天的天气", classifier))
    assert len(caplog.messages) == 1


def test_a_word_that_can_match_no_page_is_named_at_once(caplog: pytest.LogCaptureFixture) -> None:
    UnmetWords(EvidenceClassifier(understood(topic_from_keywords(["C", "指针", "R"], "own"))))
    (line,) = caplog.messages
    assert line.startswith("the words C, R of the topic can match no page: write")
