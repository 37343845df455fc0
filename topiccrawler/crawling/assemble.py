"""The one place where topic, page classifier, link model, strategy and gate are put together.

`scrapy crawl`, `compare`, `explain`, `frontier` and `judge` all call `assemble`, so an explanation is of the very crawl that ran.

A topic of a user's own words alone (`-a keywords=基金,定投:0.5 -a seeds=URL`) is kept with the job (job.json), and beside it as a file that a
later crawl can name and a person can edit. How a job's topic is named to people, and which argument of `scrapy crawl` says it, is said here too.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomli_w

from topiccrawler.crawling.admission import LinkGate
from topiccrawler.crawling.contents import ContentPlan
from topiccrawler.crawling.recipe import Recipe, expand_of, thesaurus_of
from topiccrawler.errors import CrawlerError, TopicError
from topiccrawler.files import is_file, user_path
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.from_keywords import link_model
from topiccrawler.link_model.model_file import SeveralLinkModels
from topiccrawler.links.extract import ContextMaker
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.read import PageClassifier, PageWords, Reader
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.relevance.choose import SeveralTopics, make_page_classifier
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Expand, Knowledge, LinkScorer, Strategy
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.text.weights import logistic
from topiccrawler.topics.catalogue import (
    PREFIX,
    by_name,
    is_catalogued,
    load_topic,
    load_topics,
    parts_of,
    split_keywords,
    topic_from_keywords,
    united,
    with_site_rules,
)
from topiccrawler.topics.meaning import reasons, understood, with_proposed
from topiccrawler.topics.topic import Topic, display_name, joined_words, make_topic, own_id

MORE_WORDS = 10  # words proposed


def recipe_of_words(
    recipe: Recipe, words: Sequence[str], proposed_words: int = 0, *, is_understood: bool = True
) -> Recipe:
    """The recipe with a topic of these words in place of its own, and so many words proposed for them; reading rules by site are
    taken into it. `is_understood`: what the words mean is decided (topics.meaning); a job of an earlier version goes on without.
    """
    topic = with_site_rules(topic_from_keywords(words, own_id(words)), recipe.sites)
    zh = joined_words(list(topic.keywords))
    topic = Topic.model_validate({**topic.model_dump(), "zh": zh, "proposed_words": proposed_words})
    if is_understood:
        topic = understood(topic)
    return replace(recipe, topic=topic.name, keywords=(), topic_fields=topic.model_dump())


def as_toml(topic: Topic) -> str:
    """The topic as a file; what is as by default is left out. A word that was proposed has its reason beside it; one that was learned,
    in a table of its own, for the program reads it again."""
    fields = topic.model_dump(exclude_defaults=True, exclude_none=True)
    if fields.get("lexicon") == list(topic.keywords):
        del fields["lexicon"]
    del fields["keywords"]
    why = {word: reason for word, reason in reasons(topic).items() if word not in topic.reasons}
    words = [
        tomli_w.dumps({word: weight}).rstrip() + (f"  # {why[word]}" if word in why else "")
        for word, weight in topic.keywords.items()
    ]
    tables: dict[str, Any] = {
        name: fields.pop(name) for name in ("trust", "near", "against", "reasons", "sites") if name in fields
    }
    parts = [tomli_w.dumps(fields), "\n".join(["[keywords]", *words, ""]), tomli_w.dumps(tables)]
    return "\n".join(filter(None, parts))


def words_and_weights(topic: Topic) -> str:
    """In one line: the user's words with their weights, the number of other words, their use, and the heaviest of them."""
    own_words = topic.given or list(topic.keywords)
    own = ", ".join(f"{word} {topic.keywords[word]:g}" for word in own_words if word in topic.keywords)
    more = {word: weight for word, weight in topic.keywords.items() if word not in set(own_words)}
    if not more:
        return own
    first = sorted(more, key=lambda word: (-more[word], word))[:MORE_WORDS]
    does = "lead to their pages" if topic.narrow else "judge pages with them"
    return f"{own}; {len(more)} more {does}: {', '.join(first)}{', …' if len(more) > MORE_WORDS else ''}"


TOPIC = "topic.toml"  # a topic that is not of the catalogue, in the folder of its job


def topic_display_name(recipe: Recipe) -> str:
    """Its name in the catalogue, or as a user's own file or words say; reads no file."""
    known = by_name().get(recipe.topic.strip().lower())
    if known is not None:
        return known.name
    fields = recipe.topic_fields or {}
    return display_name(str(fields.get("name") or ""), str(fields.get("zh") or "")) or recipe.topic


def display_names(recipe: Recipe) -> dict[str, str]:
    """By the names that are stored with pages, those for display; of a topic that cannot be read any more, none."""
    if recipe.topic_fields is not None:
        return {str(recipe.topic_fields.get("name")): topic_display_name(recipe)}
    found: dict[str, str] = {}
    for part in parts_of(recipe.topic):
        with suppress(CrawlerError):
            topic = load_topic(part)
            found[topic.name] = topic.display_name
    return found


def displayed(topics: str, names: Mapping[str, str]) -> str:
    """What is stored with a page as its topics, for people."""
    return ", ".join(names.get(one, one) for one in topics.split(","))


def topic_argument(recipe: Recipe, topic_file: Path | None) -> str:
    """The argument that goes on with the topic of a job, for a shell. `topic_file`: where the job keeps its topic; None: nowhere.

    The words are those typed, so that what the job was taught applies again. Where that is not known, the topic's file is named.
    """
    pairs = named_topic(recipe, topic_file).items()
    return " ".join(f"-a {shlex.quote(f'{name}={value}')}" for name, value in pairs)


def named_topic(recipe: Recipe, topic_file: Path | None) -> dict[str, str]:
    """The same as name and value of an argument; empty where nothing can be named."""
    fields = recipe.topic_fields
    if fields is None or is_file(user_path(recipe.topic)):
        return {"topic": recipe.topic}
    if (typed := _typed(fields)) is not None:
        return {"keywords": typed}
    return {} if topic_file is None else {"topic": str(topic_file)}


def _typed(fields: Mapping[str, object]) -> str | None:
    """The words of a topic made of words; None where they would make another one."""
    weights, own_words = fields.get("keywords"), fields.get("given")
    if not isinstance(weights, Mapping) or not isinstance(own_words, list | tuple):
        return None
    words = [
        word if (weight := weights.get(word, 1.0)) == 1 else f"{word}:{weight:g}"
        for word in own_words or weights
    ]
    typed = ",".join(words)
    return typed if split_keywords(typed) == words and own_id(words) == fields.get("name") else None


LinkModel = LinkClassifier | SeveralLinkModels
PLAIN_CONTEXT: ContextMaker = "window"  # of links for strategies that ask no link model


@dataclass(frozen=True, slots=True)
class Parts:
    """One crawl's parts, ready to work together."""

    recipe: Recipe
    topic: Topic
    page_classifier: PageClassifier
    strategy_classifier: PageClassifier  # whose relevance the strategy learns from; mostly the same
    link_model: LinkModel | None  # None: nothing in this crawl asks for one
    strategy: Strategy
    gate: LinkGate
    context: ContextMaker  # the one the link model was trained with
    expand: Expand | None

    @property
    def dropped_parameters(self) -> frozenset[str]:
        """Names of query parameters that every URL loses."""
        return frozenset(self.recipe.dropped_parameters)

    @property
    def segmenter(self) -> Segmenter:
        """Cuts all texts of the crawl: it keeps the words of its topics whole."""
        return self.topic.segmenter

    def record(self) -> Recipe:
        """The recipe as it is kept with the job: a user's own topic goes along, for its file may change; not of several."""
        if is_catalogued(self.recipe.topic) or len(parts_of(self.recipe.topic)) > 1:
            return self.recipe
        return replace(self.recipe, topic_fields=self.topic.model_dump(mode="json"))

    def topic_of_page(self, words: PageWords) -> str:
        """The topic that a page is about; of several all it is about, with commas between them."""
        if isinstance(self.page_classifier, SeveralTopics):
            return ",".join(self.page_classifier.topics_of(words))
        return self.topic.name

    def reader(self, repeats: SiteRepeats | None = None) -> Reader:
        """Reads pages as this crawl does; `repeats`: what its sites have written on several pages."""
        detail = self.strategy.needs_detail
        return reader_of(self.recipe, self.topic, self.strategy_classifier, detail=detail, repeats=repeats)


def content_plan(parts: Parts, reader: Reader) -> ContentPlan:
    """What `reader`, the crawl's, makes of bytes alone, and how the crawl reads links."""
    return ContentPlan(
        segmenter=reader.segmenter,
        sites=reader.sites,
        title_reader=parts.recipe.title_reader,
        reads_segments=reader.reads_segments,
        is_detail=reader.is_detail,
        context=parts.context,
        window=parts.recipe.context_characters,
        dropped_parameters=parts.dropped_parameters,
        keywords=parts.topic.keywords,
        page_classifier=reader.page_classifier,
        link_model=parts.link_model if isinstance(parts.link_model, LinkClassifier) else None,
    )


def assemble(recipe: Recipe, model: LinkModel | None = None) -> Parts:
    """Build a crawl's parts, or raise the CrawlerError that names the wrong input.

    `model`: the recipe's link model, for a caller that has loaded it already.
    """
    topic = topic_of(recipe)
    strategy = build(recipe.strategy, recipe.parameters)
    threshold = gate_threshold(recipe, topic, strategy)
    scorer = (model or link_model_of(recipe)) if _asks_model(strategy, threshold) else None
    page_classifier = page_classifier_of(recipe)
    strategy.prepare(
        Knowledge(
            similarity_threshold=page_classifier.similarity_threshold,
            link_scorer=scorer,
            seed=recipe.seed,
            topic=topic,
            thesaurus=thesaurus_of(recipe.thesaurus),
            off_topic=recipe.off_topic,
        )
    )
    return Parts(
        recipe=recipe,
        topic=topic,
        page_classifier=page_classifier,
        strategy_classifier=_strategy_classifier(recipe, topic.segmenter) or page_classifier,
        link_model=scorer,
        strategy=strategy,
        gate=_gate_of(topic, strategy, scorer, threshold),
        context=context_of(scorer),
        expand=expand_of(recipe.expand),
    )


def topic_of(recipe: Recipe) -> Topic:
    """The topic with the recipe's keywords and reading rules, and the words it wants proposed; a job's own copy goes before the file
    it came from.

    Of several topics the one that is all of them (topics.catalogue).
    """
    return united(topics_of(recipe))


def topics_of(recipe: Recipe) -> list[Topic]:
    """The topics of the crawl, each by itself; one segmenter cuts texts for them all."""
    if recipe.topic_fields is not None:
        topics = [with_proposed(make_topic(recipe.topic_fields, f"topic {recipe.topic}"))]
    else:
        listed = map(_is_listed, parts_of(recipe.topic))
        topics = [
            with_proposed(topic) if is_listed else understood(topic)
            for topic, is_listed in zip(_named_topics(recipe), listed, strict=True)
        ]
    segmenter = united(topics).segmenter
    return [topic.cut_by(segmenter) for topic in topics]


def _named_topics(recipe: Recipe) -> list[Topic]:
    """As the catalogue or a user's file has them, with the recipe's reading rules and further keywords."""
    topics = [with_site_rules(topic, recipe.sites) for topic in load_topics(recipe.topic)]
    if not recipe.keywords:
        return topics
    if len(topics) > 1:
        what = f"keywords {','.join(recipe.keywords)}"
        raise TopicError(what, "belong to no one of several topics", "make a topic file of them")
    words = {**topics[0].keywords, **dict.fromkeys(recipe.keywords, 1.0)}
    return [topics[0].model_copy(update={"keywords": words})]


def _is_listed(name: str) -> bool:
    """Of the catalogue or of the Chinese Library Classification: all that is called so is meant."""
    return is_catalogued(name) or name.strip().lower().startswith(PREFIX)


def topic_as_written(recipe: Recipe) -> Topic | None:
    """The topic of a file as it was used before its words were understood; None where the recipe names no single file."""
    if recipe.topic_fields is not None or recipe.keywords or len(parts_of(recipe.topic)) > 1:
        return None
    return None if _is_listed(recipe.topic) else with_proposed(_named_topics(recipe)[0])


def page_classifier_of(recipe: Recipe, segmenter: Segmenter | None = None) -> PageClassifier:
    """What decides whether a page is about the topic, or one of them. `segmenter`: cuts its pages, where it is not the topic's own."""
    folder = folder_of(recipe.page_classifier_models)
    topics = topics_of(recipe) if segmenter is None else [one.cut_by(segmenter) for one in topics_of(recipe)]
    made = {topic.name: make_page_classifier(topic, recipe.page_classifier, folder) for topic in topics}
    return SeveralTopics(made) if len(made) > 1 else next(iter(made.values()))


def kept_from(recipe: Recipe, page_classifier: PageClassifier) -> float:
    """From which relevance on pages of the job were kept: in one of an earlier version relevance is a similarity."""
    earlier = recipe.relevance_since is None
    return page_classifier.similarity_threshold if earlier else page_classifier.threshold


def _strategy_classifier(recipe: Recipe, segmenter: Segmenter) -> PageClassifier | None:
    """None where it is the page classifier."""
    if recipe.strategy_topic is None:
        return None
    return page_classifier_of(replace(recipe, topic_fields=recipe.strategy_topic), segmenter)


def link_model_of(recipe: Recipe) -> LinkModel:
    """The topic's link model, or theirs; ModelError when a folder was named that lacks one."""
    models = [link_model(topic, recipe.link_models) for topic in topics_of(recipe)]
    return models[0] if len(models) == 1 else SeveralLinkModels(models)


def needs_link_model(recipe: Recipe) -> bool:
    """Its strategy or its gate asks a link model."""
    strategy = build(recipe.strategy, recipe.parameters)
    return _asks_model(strategy, gate_threshold(recipe, topic_of(recipe), strategy))


def _asks_model(strategy: Strategy, threshold: float | None) -> bool:
    return strategy.needs_link_scorer or (threshold != 0 and not strategy.own_thresholds)


def _gate_of(topic: Topic, strategy: Strategy, model: LinkModel | None, threshold: float | None) -> LinkGate:
    """Scored by the strategy where it does so itself; else by the link model, with what it learned when the threshold was set."""
    scorer: LinkScorer | None = model
    if strategy.own_thresholds or threshold is not None:
        scorer = strategy.current_scorer or model
    if threshold is None:
        threshold = strategy.own_thresholds.get(topic.breadth, calibrated_threshold(model))
    return LinkGate(scorer, threshold, topic.tunnel_probability, topic.tunnel_depth)


def calibrated_threshold(model: LinkModel | None) -> float:
    """0..1: the link model's own threshold for the gate; 0 when it has none."""
    return 0.0 if model is None or model.gate_threshold is None else logistic(model.gate_threshold)


def gate_threshold(recipe: Recipe, topic: Topic, strategy: Strategy) -> float | None:
    """0..1, from which probability a link passes the gate; 0 = the gate is open, None = as the link model says."""
    if not recipe.prune or not strategy.prunes:
        return 0.0
    return topic.link_threshold if recipe.link_threshold is None else recipe.link_threshold


def context_of(model: LinkModel | None) -> ContextMaker:
    """The context maker of the strategy's link model."""
    return PLAIN_CONTEXT if model is None else model.context


def reader_of(
    recipe: Recipe,
    topic: Topic,
    page_classifier: PageClassifier,
    *,
    detail: bool,
    repeats: SiteRepeats | None = None,
) -> Reader:
    """Reads pages; with `detail` it also separates detail pages from link pages, which costs time."""
    formats = Formats(seconds=recipe.file_seconds)
    if not detail:
        return Reader(page_classifier, formats, topic.sites, recipe.title_reader, repeats, topic.segmenter)
    from topiccrawler.relevance.detail import DetailReader, detail_svm  # numpy

    svm = detail_svm(folder_of(recipe.page_classifier_models))
    return DetailReader(
        page_classifier,
        svm,
        formats=formats,
        sites=topic.sites,
        title_reader=recipe.title_reader,
        repeats=repeats,
        segmenter=topic.segmenter,
    )


def folder_of(text: str | None) -> Path | None:
    """A folder that a user named."""
    return user_path(text) if text else None
