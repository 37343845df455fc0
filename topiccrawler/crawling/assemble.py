"""Builds the parts of a crawl from its recipe: topic, page classifier, link model, strategy and gate.

`assemble` is the only place where they are put together. `scrapy crawl`, `compare`, `explain`, `frontier` and `read` all call it, so
an explanation describes exactly the crawl that ran.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from topiccrawler.crawling.link_gate import LinkGate
from topiccrawler.crawling.recipe import Recipe, thesaurus_of
from topiccrawler.errors import ModelError, TopicError
from topiccrawler.files import user_path
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.from_keywords import NONE, link_model
from topiccrawler.link_model.model_file import SeveralLinkModels
from topiccrawler.links.extract import ContextMaker
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.read import PageClassifier, PageWords, Reader
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.relevance.choose import SeveralTopics, anchor_classifier, make_page_classifier
from topiccrawler.relevance.published import AnchorBayes
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge, LinkScorer, Strategy
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.text.weights import logistic
from topiccrawler.topics.catalogue import is_catalogued, load_topics, parts_of, united, with_site_rules
from topiccrawler.topics.classification import PREFIX
from topiccrawler.topics.meaning import understood
from topiccrawler.topics.proposed_words import with_proposed
from topiccrawler.topics.topic import Topic, make_topic

LinkModel = LinkClassifier | SeveralLinkModels


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one crawl, configured to work together."""

    recipe: Recipe
    topic: Topic
    page_classifier: PageClassifier
    # the strategy learns from the relevance by this one, which is mostly the page classifier itself
    strategy_classifier: PageClassifier
    link_model: LinkModel  # that the gate asks, where the strategy has no scorer of its own
    strategy: Strategy
    gate: LinkGate
    context: ContextMaker  # the one that the strategy reads, else that with which the link model was trained

    @property
    def dropped_parameters(self) -> frozenset[str]:
        """The names of query parameters that are removed from every URL."""
        return frozenset(self.recipe.dropped_parameters)

    @property
    def segmenter(self) -> Segmenter:
        """The word segmenter for all texts of the crawl; it never splits the words of the topics."""
        return self.topic.segmenter

    def record(self) -> Recipe:
        """The recipe as it is stored with the job; it includes a single topic of the user's own, because the topic's file may change."""
        if is_catalogued(self.recipe.topic) or len(parts_of(self.recipe.topic)) > 1:
            return self.recipe
        return replace(self.recipe, topic_fields=self.topic.model_dump(mode="json"))

    def topic_of_page(self, words: PageWords) -> str:
        """The topic that a page is about; in a crawl of several topics, all that the page is about, separated by commas."""
        return topic_of_page(self.page_classifier, self.topic, words)

    def reader(self, repeats: SiteRepeats | None = None) -> Reader:
        """The reader that makes pages as this crawl does; `repeats`: texts that the sites repeat on several pages."""
        detail = self.strategy.needs_detail
        return reader_of(self.recipe, self.topic, self.strategy_classifier, detail=detail, repeats=repeats)


def assemble(recipe: Recipe, load: Callable[[Recipe], LinkModel] | None = None) -> Parts:
    """Build the parts of a crawl; raises a CrawlerError that names the wrong input.

    `load`: loads the link model of a recipe; None = `link_model_of`.
    """
    topic = topic_of(recipe)
    strategy = build(recipe.strategy, recipe.parameters)
    if recipe.expand is not None:
        strategy.expand = recipe.expand
    threshold = gate_threshold(recipe, topic, strategy)
    anchors = _anchor_classifier(recipe, strategy)
    try:
        scorer = (load or link_model_of)(recipe)
    except ModelError:
        is_needed = strategy.needs_link_scorer and anchors is None
        if is_needed or (threshold != 0 and not strategy.own_thresholds):
            raise
        scorer = link_model_of(replace(recipe, link_models=NONE))  # the gate asks that of the keywords
    page_classifier = page_classifier_of(recipe)
    strategy.prepare(
        Knowledge(
            similarity_threshold=page_classifier.similarity_threshold,
            link_scorer=anchors or scorer,
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
        context=strategy.context or scorer.context,
    )


def topic_of(recipe: Recipe) -> Topic:
    """The topic with the keywords and reading rules of the recipe, and with the proposed words that it asks for.

    The copy of the topic in a job takes precedence over the file it came from. Several topics are united into one (topics.catalogue).
    """
    return united(topics_of(recipe))


def topics_of(recipe: Recipe) -> list[Topic]:
    """The topics of the crawl as a list; they share one segmenter."""
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
    """The topics from the catalogue or a user's file, with the reading rules and additional keywords of the recipe."""
    topics = [with_site_rules(topic, recipe.sites) for topic in load_topics(recipe.topic)]
    if not recipe.keywords:
        return topics
    if len(topics) > 1:
        what = f"keywords {','.join(recipe.keywords)}"
        raise TopicError(what, "belong to no one of several topics", "make a topic file of them")
    words = {**topics[0].keywords, **dict.fromkeys(recipe.keywords, 1.0)}
    return [topics[0].model_copy(update={"keywords": words})]


def _is_listed(name: str) -> bool:
    """Whether the name is that of a topic in the catalogue or of a class of the Chinese Library Classification."""
    return is_catalogued(name) or name.strip().lower().startswith(PREFIX)


def page_classifier_of(recipe: Recipe, segmenter: Segmenter | None = None) -> PageClassifier:
    """The classifier that decides whether a page is about the topic, or one of the topics. `segmenter`: None = the one of the topic."""
    folder = folder_of(recipe.page_classifier_models)
    topics = topics_of(recipe) if segmenter is None else [one.cut_by(segmenter) for one in topics_of(recipe)]
    made = {topic.name: make_page_classifier(topic, recipe.page_classifier, folder) for topic in topics}
    return SeveralTopics(made) if len(made) > 1 else next(iter(made.values()))


def topic_of_page(classifier: PageClassifier, topic: Topic, words: PageWords) -> str:
    """The topic that a page is about; in a crawl of several topics, all that the page is about, separated by commas."""
    return ",".join(classifier.topics_of(words)) if isinstance(classifier, SeveralTopics) else topic.name


def _strategy_classifier(recipe: Recipe, segmenter: Segmenter) -> PageClassifier | None:
    """The classifier whose relevance the strategy learns from; None where it is the page classifier itself."""
    if recipe.strategy_topic is None:
        return None
    return page_classifier_of(replace(recipe, topic_fields=recipe.strategy_topic), segmenter)


def link_model_of(recipe: Recipe) -> LinkModel:
    """The link model of the topic, or of all topics together; ModelError if a named folder has none."""
    models = [link_model(topic, recipe.link_models) for topic in topics_of(recipe)]
    return models[0] if len(models) == 1 else SeveralLinkModels(models)


def _anchor_classifier(recipe: Recipe, strategy: Strategy) -> AnchorBayes | None:
    """The classifier of anchors by those of sample pages; None if the strategy reads none or a topic has none."""
    if not strategy.reads_sample_anchors:
        return None
    topics = topics_of(recipe)
    return anchor_classifier(topics, topics[0].segmenter, folder_of(recipe.page_classifier_models))


def _gate_of(topic: Topic, strategy: Strategy, model: LinkModel, threshold: float | None) -> LinkGate:
    """The link gate. Links are scored by the strategy's current model where the strategy or the user sets the threshold, and it has one;
    else by the link model."""
    scorer: LinkScorer = model
    if strategy.own_thresholds or threshold is not None:
        scorer = strategy.current_scorer or model
    if threshold is None:
        threshold = strategy.own_thresholds.get(topic.breadth, calibrated_threshold(model))
    return LinkGate(scorer, threshold, topic.tunnel_probability, topic.tunnel_depth)


def calibrated_threshold(model: LinkModel) -> float:
    """The gate threshold that was calibrated with the link model, 0..1; 0 if it has none."""
    return 0.0 if model.gate_threshold is None else logistic(model.gate_threshold)


def gate_threshold(recipe: Recipe, topic: Topic, strategy: Strategy) -> float | None:
    """The least probability, 0..1, with which a link passes the gate; 0 = the gate is open, None = as calibrated with the link model."""
    if not recipe.prune or not strategy.prunes:
        return 0.0
    return topic.link_threshold if recipe.link_threshold is None else recipe.link_threshold


def reader_of(
    recipe: Recipe,
    topic: Topic,
    page_classifier: PageClassifier,
    *,
    detail: bool,
    repeats: SiteRepeats | None = None,
) -> Reader:
    """A reader for pages of the crawl. With `detail` it also distinguishes detail pages from link pages, which costs time."""
    formats = Formats()
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
    """The path of a folder that the user named; None if none was named."""
    return user_path(text) if text else None
