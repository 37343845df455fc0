"""Changes a topic by a person's answers about pages (Rocchio's relevance feedback), and selects the pages to ask about.

Idea: words of the pages that a person accepted belong to the topic, those of refused pages do not. The person's own words are not changed.
Formula: m+, m- = mean of the tf·idf vectors (length 1) of accepted and of refused pages, each times n/(n + SMOOTHING), n = its pages;
d = m+ - m-. The MOST_WORDS words with the largest d > 0 that are in two accepted pages get at least the weight
SHARE · n/(n + SMOOTHING) · d / largest d, times the heaviest weight. A word of the topic that is in a larger share q of the refused pages
than p of the accepted ones is multiplied by (p/q)^PENALTY. No words against the topic are learned: they classified pages better, but
crawls became worse. Common words (topics.common_words) are not learned. For a narrow topic these words only lead to pages; what
classifies pages is learned in relevance.training.narrow_teaching.
The idf is that of the language (topics.common_words), not of the crawl: most pages of a crawl are about the topic, so its words would be
common there. Words of a single page are left out.
Questions: a sure page of each group of kept pages (two senses of a word), where there are groups; of the others three of four are the
pages nearest to even odds, and one of four is the most relevant page without an answer.
Parameters: SHARE .5, PENALTY .5, SMOOTHING 3, MOST_WORDS 200 (docs/lab.md).
Reads: words of pages and answers. Deterministic; the order of answers does not matter. Cost: .1 s for 300 pages.
But: the threshold does not change; nothing is learned from an answer about a page without words.
Reference: Rocchio (1971), in Salton, The SMART Retrieval System; Lewis & Gale (1994) for the uncertain ones.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import running_words
from topiccrawler.text.weights import centroid, document_frequencies
from topiccrawler.topics.common_words import background_idf
from topiccrawler.topics.keywords import unit_vector
from topiccrawler.topics.proposed_words import reasons
from topiccrawler.topics.topic import Topic, make_topic

SHARE, PENALTY, SMOOTHING = 0.5, 0.5, 3.0
MOST_WORDS = 200
MOST_KEYWORDS = 5_000  # that a topic may have (topics.topic)
HELD = 0.5  # in a topic without `given`, words of at least this share of the heaviest weight are not changed
SURE = 4  # every SURE-th question is about one of the most relevant pages
LEAST_WEIGHT = 0.001

Vector = dict[str, float]


def questions(
    relevances: Sequence[float],
    threshold: float,
    asked: Container[int],
    count: int,
    sure: Sequence[int] = (),
) -> list[int]:
    """Return the indexes of at most `count` pages to ask about: first `sure`, then the most uncertain ones, then the most relevant ones.

    `sure`: a page of each group of kept pages, of which one may be wrong with confidence.
    """
    first = list(dict.fromkeys(sure))[:count]
    open_ = [place for place in range(len(relevances)) if place not in asked and place not in first]
    unsure = sorted(open_, key=lambda place: (abs(relevances[place] - threshold), place))
    most_relevant = max(0, count // SURE - len(first))
    chosen = first + unsure[: count - len(first) - most_relevant]
    already = set(chosen)
    surest = sorted(open_, key=lambda place: (-relevances[place], place))
    return chosen + [place for place in surest if place not in already][:most_relevant]


def taught(topic: Topic, pages: Sequence[PageWords], answers: Mapping[int, bool]) -> Topic:
    """Return the topic changed by the answers; the topic itself if there is none about a page with words.

    `answers`: index of a page -> whether it is about the topic.
    """
    answers = {place: answer for place, answer in answers.items() if any(running_words(pages[place]))}
    if not answers:
        return topic
    lesson = _Lesson(topic, pages, answers)
    weights, why = lesson.weights()
    changed = {
        **topic.model_dump(exclude_unset=True),
        "keywords": weights,
        "reasons": why,
        "page_threshold": topic.page_threshold,
        "given": topic.given,
    }
    if topic.narrow:
        from topiccrawler.relevance.training.narrow_teaching import lesson_of  # numpy, for the word vectors

        learned = lesson_of(topic, pages, answers)
        changed |= learned | {"reasons": _joined(why, learned["reasons"])}
    if topic.lexicon == list(topic.keywords):
        changed.pop("lexicon", None)  # the keywords again
    return make_topic(changed, f"topic {topic.name}")


def _joined(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Merge reasons by word; a word with two different reasons gets both."""
    both = {word: f"{first[word]}; {why}" for word, why in second.items() if first.get(word, why) != why}
    return {**first, **second, **both}


class _Lesson:
    def __init__(self, topic: Topic, pages: Sequence[PageWords], answers: Mapping[int, bool]) -> None:
        self.topic = topic
        frequencies, idf = document_frequencies(map(running_words, pages)), background_idf()
        self._idf = {word: idf.get(word, idf[""]) for word, count in frequencies.items() if count > 1}
        sides = [
            [running_words(pages[place]) for place in sorted(answers) if answers[place] is side]
            for side in (True, False)
        ]
        self.counts = [len(side) for side in sides]
        self.met = [document_frequencies(side) for side in sides]
        accepted, refused = (self._mean(side) for side in sides)
        self._lean = {
            word: accepted.get(word, 0.0) - refused.get(word, 0.0) for word in sorted(accepted | refused)
        }

    def weights(self) -> tuple[Vector, dict[str, str]]:
        """Return word -> new weight for the topic's words, and word -> reason for those that are not the person's own."""
        keywords = self.topic.keywords
        heaviest = max(keywords.values())
        cut = self.topic.segmenter.words_of(list(keywords))
        keys = {word: "".join(tokens) for word, tokens in zip(keywords, cut, strict=True)}
        unchanged = set(self.topic.given) or {word for word in keywords if keywords[word] >= HELD * heaviest}
        why = reasons(self.topic)
        found = {}
        for word, weight in keywords.items():
            factor = 1.0 if word in unchanged else self._penalty(keys[word])
            found[word] = max(LEAST_WEIGHT * heaviest, round(weight * factor, 4)) if factor < 1 else weight
            if factor < 1:
                why[word] = self._taught(keys[word], f"was {weight:g}")
        written = {key: word for word, key in keys.items()}
        yes = self.counts[0]
        pages_of = {word: self.met[0][word] for word in self._lean}
        gained = [word for word, lean in self._lean.items() if lean > 0 and pages_of[word] >= min(2, yes)]
        gained = sorted(gained, key=lambda word: (-self._lean[word], word))[:MOST_WORDS]
        for word in gained:
            share = SHARE * yes / (yes + SMOOTHING) * self._lean[word] / self._lean[gained[0]]
            weight, name = round(heaviest * share, 4), written.get(word, word)
            has_room = name in found or len(found) < MOST_KEYWORDS
            if has_room and weight > max(found.get(name, 0.0), LEAST_WEIGHT * heaviest):
                was = f"was {keywords[name]:g}" if name in keywords else ""
                found[name], why[name] = weight, self._taught(word, was)
        return found, why

    def _penalty(self, word: str) -> float:
        shares = [self.met[side][word] / max(1, self.counts[side]) for side in (0, 1)]
        accepted, refused = ((self.met[side][word] + 0.5) / (self.counts[side] + 1) for side in (0, 1))
        return (accepted / refused) ** PENALTY if shares[1] > shares[0] and refused > accepted else 1.0

    def _taught(self, word: str, was: str) -> str:
        yes, no = (f"{self.met[side][word]} of your {self.counts[side]}" for side in (0, 1))
        return f"taught: in {yes} yes pages, {no} no pages" + (f"; {was}" if was else "")

    def _mean(self, documents: Sequence[Sequence[str]]) -> Vector:
        known = ([word for word in words if word in self._idf] for words in documents)
        mean = centroid(unit_vector(words, self._idf.__getitem__) for words in known)
        share = len(documents) / (len(documents) + SMOOTHING)
        return {word: weight * share for word, weight in mean.items()}
