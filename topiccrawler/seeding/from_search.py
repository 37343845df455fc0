"""Seeds from a search service: queries made of the topic's words, results ranked by the topic and by how many queries found them."""

from __future__ import annotations

import logging
from itertools import combinations

from topiccrawler.errors import SearchError
from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.pages.formats.extract import tidy
from topiccrawler.pages.words import PageWords
from topiccrawler.seeding.candidate import Candidate, merged
from topiccrawler.seeding.search_service import SearchService
from topiccrawler.text.tokenise import words_of
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical

logger = logging.getLogger(__name__)

MOST_WORDS = 5
HEAVY = 0.5  # of the heaviest word
PAGES = 2  # of results, of each query


def queries_of(topic: Topic) -> list[str]:
    """Each of the heaviest words a user gave (of a topic without such, of all), then each pair: at most 15 queries."""
    words = [word for word in topic.given if word in topic.keywords] or list(topic.keywords)
    heaviest = max(topic.keywords[word] for word in words)
    heavy = [word for word in words if topic.keywords[word] >= HEAVY * heaviest]
    heavy = sorted(heavy, key=lambda word: -topic.keywords[word])[:MOST_WORDS]
    return [*heavy, *(" ".join(pair) for pair in combinations(heavy, 2))]


def candidates_of_search(
    topic: Topic, service: SearchService, page_classifier: PageClassifier
) -> list[Candidate]:
    """What the service finds for the topic, best first; results without a word of it are left out.

    SearchError when the first query fails; when a later one does, what was found until then counts.
    """
    queries = queries_of(topic)
    texts: dict[str, tuple[str, str]] = {}
    found_by: dict[str, set[str]] = {}
    asked = 0
    for query in queries:
        try:
            for page in range(1, PAGES + 1):
                results = service.search(query, page)
                for result in results:
                    if (url := canonical(result.url)) is not None:
                        texts.setdefault(url, (tidy(result.title), tidy(result.snippet)))
                        found_by.setdefault(url, set()).add(query)
                if not results:
                    break
        except SearchError as failure:
            if not asked:
                raise
            logger.warning("%s (after %d of %d queries)", failure, asked, len(queries))
            break
        asked += 1
    words = {url: _words(title, snippet) for url, (title, snippet) in texts.items()}
    return merged(
        Candidate(
            url,
            title,
            page_classifier.relevance(words[url]),
            found=len(found_by[url]),
            queries=max(asked, len(found_by[url])),
        )
        for url, (title, _) in texts.items()
        if page_classifier.similarity(words[url]) > 0  # relevance is above 0 for any page
    )


def _words(title: str, snippet: str) -> PageWords:
    of_title, of_snippet = words_of([title, snippet])
    return PageWords(title=of_title, body=of_snippet)
