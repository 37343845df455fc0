"""The one place where topic, page classifier, link model, strategy and gate are put together.

`scrapy crawl`, `compare`, `explain`, `frontier` and `judge` all call `assemble`, so an explanation is of the very crawl that ran.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from topiccrawler.crawling.admission import LinkGate
from topiccrawler.crawling.contents import ContentPlan
from topiccrawler.crawling.recipe import Recipe, expand_of, thesaurus_of
from topiccrawler.errors import TopicError
from topiccrawler.files import user_path
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
from topiccrawler.topics.catalogue import is_catalogued, load_topics, parts_of, united, with_site_rules
from topiccrawler.topics.classification import PREFIX
from topiccrawler.topics.meaning import understood
from topiccrawler.topics.proposed_words import with_proposed
from topiccrawler.topics.topic import Topic, make_topic

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
