"""Lets a job learn from a person's answers about its pages (relevance feedback), and stores the answers and the topics learned.

`Lessons` holds them. The file teaching.json in the job's folder has the original topic and each step: the answers of the step, and the
topic learned from all answers so far. A crawl that is resumed with the same command uses the last topic; `undo` removes a step.
"""

from __future__ import annotations

import json
import logging
import shlex
import sys
import time
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import Parts, assemble, topic_of
from topiccrawler.crawling.checkpoints import Checkpoints
from topiccrawler.crawling.job_files import read_recipe, write_recipe
from topiccrawler.crawling.judging import (
    JudgedAgain,
    Progress,
    Running,
    judge_again,
    words_of_record,
)
from topiccrawler.crawling.page_filter import ANSWERED
from topiccrawler.crawling.page_stores import has_pages, open_pages, open_sample, visits_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.crawling.transfer import can_transfer, relearn, transfer_state
from topiccrawler.errors import ArgumentError, StateError, file_faults, shortened
from topiccrawler.files import JsonFile, keep_former, replace_file
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.frontier.stored_queue import is_made
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Page, Via, Visit
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import EVIDENCE, similarity_of
from topiccrawler.relevance.choose import untrained
from topiccrawler.relevance.training.teaching import taught
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.topics.catalogue import is_catalogued, parts_of
from topiccrawler.topics.topic import Topic, make_topic
from topiccrawler.urls.canonical import canonical, host_of

logger = logging.getLogger(__name__)

TEACHING = "teaching.json"
MOST_BYTES = 200_000_000
MOST_NAMED = 5  # unknown URLs in a message
REMEDY = "name the folder of a job"


@dataclass(slots=True)
class Lessons:
    """The stored pages of a job with their words, and a person's answers about them."""

    folder: Path
    recipe: Recipe
    base: dict[str, Any]  # fields of the topic before the first step
    steps: list[dict[str, Any]]  # {"answers": URL -> answer, "topic": fields}, first to last
    records: list[PageRecord] = field(default_factory=list)
    words: list[PageWords] = field(default_factory=list)  # of each record
    # the answers from which the topic of the recipe was learned
    followed: dict[str, bool] = field(default_factory=dict)
    segmenter: Segmenter = PLAIN  # segmenter of the topic when the pages were read
    # what the last step has changed of the stored pages
    judged: JudgedAgain = field(default_factory=JudgedAgain)
    # URL of a copy -> URL of the page of which it is one
    copies: dict[str, str] = field(default_factory=dict)
    is_anew: bool = False  # the job's file is about another topic; a copy of it is kept when it is replaced

    @property
    def topic(self) -> Topic:
        """The present topic of the job."""
        return make_topic(self.steps[-1]["topic"] if self.steps else self.base, str(self.folder / TEACHING))

    @property
    def answers(self) -> dict[str, bool]:
        """All answers so far, by URL; of several answers about a page the last."""
        return {url: answer for step in self.steps for url, answer in step["answers"].items()}

    def relevances(self, topic: Topic) -> list[float]:
        """The relevance of each page to a topic, as a crawl for the topic computes it."""
        page_classifier = untrained(topic.cut_by(self.segmenter))
        return list(map(page_classifier.relevance, self.words))

    def look(self) -> None:
        """Read the words of the pages."""
        in_segments = untrained(self._topic(self.base)).reads_segments
        known: dict[str, str] = {}
        self.words = [
            _shared(words_of_record(record, self.segmenter, in_segments=in_segments), known)
            for record in self.records
        ]
        self.records = [replace(record, evidence=b"", media="") for record in self.records]

    def known(self, answers: Mapping[str, bool]) -> tuple[dict[str, bool], list[str]]:
        """The answers about pages whose text the job has, by the URLs of the pages, and the other URLs. An answer about a copy is one about
        its original."""
        pages = {record.url for record in self.records}
        found, unknown = {}, []
        for url, answer in answers.items():
            clean = url if url in pages or url in self.copies else canonical(url) or url
            clean = self.copies.get(clean, clean)
            if clean in pages:
                found[clean] = answer
            else:
                unknown.append(url)
        return found, unknown

    def learned(self, answers: Mapping[str, bool]) -> Topic:
        """The topic learned from all answers so far and these."""
        places = {record.url: place for place, record in enumerate(self.records)}
        every = self.answers | dict(answers)
        known = {places[url]: answer for url, answer in every.items() if url in places}
        return taught(self._topic(self.base), self.words, known)

    def _topic(self, fields: Mapping[str, Any]) -> Topic:
        """A topic with the segmenter by which the pages were read."""
        return make_topic(fields, str(self.folder)).cut_by(self.segmenter)

    @property
    def by_persons(self) -> dict[str, bool]:
        """The answers of persons, by URL; of several about a page the last."""
        return _by_persons(self.steps)

    def teach(self, answers: Mapping[str, bool], running: Running | None = None, by: str = "") -> int:
        """Learn from answers, store the topic with the job, rescore the waiting URLs and judge the stored pages again (`judged`). Returns
        how many scores have changed.

        `running`: the crawl of the job, if it is running. `by`: who answered; empty = a person.
        """
        self.learn(answers, by)
        return self._keep(running)

    def learn(self, answers: Mapping[str, bool], by: str = "") -> None:
        """Learn from answers, without storing anything. `by`: see `teach`."""
        topic = self.learned(answers)
        step: dict[str, Any] = {
            "answers": dict(answers),
            "topic": topic.model_dump(mode="json"),
            "strategy_topic": None,
            "time": round(time.time(), 3),
            **({"by": by} if by else {}),
        }
        self.steps.append(step)
        if not topic.narrow and self.changes_few(assemble(self._taught())):
            step["strategy_topic"] = self.recipe.strategy_topic or topic_of(self.recipe).model_dump(
                mode="json"
            )

    def undo(self, running: Running | None = None) -> int:
        """Restore the topic before the last step, and judge the stored pages again. Returns how many scores have changed. `running`: see
        `teach`."""
        if not self.steps:
            raise ArgumentError(f"job {self.folder}", "was taught nothing", "there is nothing to undo")
        self.steps.pop()
        return self._keep(running)

    def changes_few(self, parts: Parts) -> bool:
        """Whether the verdict on so few pages changes that the strategy of these parts may keep what it has learned."""
        before = assemble(self.recipe)
        old = list(_pages(self.folder, before, self, self.followed))
        new = list(_pages(self.folder, parts, self, self.answers))
        pairs = zip(old, new, strict=False)  # the log of a running crawl grows between the two passes
        changed = sum(one.is_target != other.is_target for one, other in pairs)
        return can_transfer(parts.strategy, changed, len(new))

    def _taught(self) -> Recipe:
        """The recipe with the topics of the last step."""
        learned_by = self.steps[-1].get("strategy_topic") if self.steps else None
        return replace(
            self.recipe, topic_fields=self.topic.model_dump(mode="json"), strategy_topic=learned_by
        )

    def _keep(self, running: Running | None) -> int:
        if running is None:
            changed = _rescore(self.folder, self._taught(), self)
            self.store()
        else:
            few = self.is_small()
            self.store()
            changed = running.teach(few)
        self.judged = judge_again(self.folder, self.by_persons, running)
        return changed

    def is_small(self) -> bool:
        """Whether a strategy that goes on with what was learned since `store` may keep what it has learned itself."""
        return self.changes_few(assemble(self._taught()))

    def store(self) -> None:
        """Store answers and topic with the job."""
        recipe = self._taught()
        kept = {"base": self.base, "steps": self.steps}
        with file_faults(StateError, self.folder / TEACHING, "cannot be written", "make room"):
            if self.is_anew:
                keep_former(self.folder / TEACHING)
                self.is_anew = False
            replace_file(self.folder / TEACHING, json.dumps(kept, ensure_ascii=False) + "\n")
        write_recipe(recipe, self.folder)
        self.recipe, self.followed = recipe, self.answers


def _shared(page: PageWords, known: dict[str, str]) -> PageWords:
    """The words of a page, each as the one string of it in `known`: a job of ten thousand pages has as many million words."""

    def shared(words: Sequence[str]) -> list[str]:
        return [known.setdefault(word, word) for word in words]

    segments = [segment._replace(words=shared(segment.words)) for segment in page.segments]
    title, headings, emphasis = map(shared, (page.title, page.headings, page.emphasis))
    return PageWords(title, headings, emphasis, shared(page.meta), shared(page.body), segments)


def lessons_of(folder: Path, only: Container[str] | None = None) -> Lessons:
    """The pages of a job and what it was taught so far. `only`: the URLs of the pages that are read; None = all.

    ArgumentError if the folder has no job, or if the job has several topics or a page classifier that does not learn from answers.
    """
    recipe = read_recipe(folder)
    if recipe is None:
        raise ArgumentError(f"folder {folder}", "holds no job", REMEDY)
    if recipe.page_classifier != EVIDENCE:
        fault = f"its page classifier is {recipe.page_classifier}, which answers do not teach"
        raise ArgumentError(
            f"job {folder}", fault, "crawl with evidence, or train with more documents: scrapy train"
        )
    if len(parts_of(recipe.topic)) > 1:
        raise ArgumentError(f"job {folder}", "is of several topics", "teach a crawl of one")
    topic = topic_of(recipe)
    base, steps = _kept(folder)
    is_anew = bool(base) and not _is_of(topic, [base, *(step["topic"] for step in steps)], folder)
    if is_anew:  # as `with_teaching` says
        base, steps = {}, []
    lessons = Lessons(folder, recipe, base or topic.model_dump(mode="json"), steps, segmenter=topic.segmenter)
    lessons.is_anew = is_anew
    stores = [*([open_pages(folder)] if has_pages(folder) else []), open_sample(folder)]
    for store in stores:
        with closing(store):
            for record in store.records():
                if record.alias_of:
                    lessons.copies[record.url] = record.alias_of
                elif only is None or record.url in only:
                    lessons.records.append(record)
    lessons.followed = lessons.answers
    lessons.look()
    return lessons


def with_teaching(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe of a crawl in that folder, with the topic that its job was taught, unless the topic was changed since."""
    if not (folder / TEACHING).is_file():
        return recipe
    base, steps = _kept(folder)
    if not steps:
        return recipe
    if not _is_of(topic_of(recipe), [base], folder):
        logger.warning(
            "Job %s: the topic was changed after it was taught; what was taught is not used", folder
        )
        return recipe
    last = steps[-1]
    return replace(recipe, topic_fields=last["topic"], strategy_topic=last.get("strategy_topic"))


def answered(folder: Path) -> dict[str, bool]:
    """All answers of persons about pages of the job in that folder, by URL; StateError if the file is damaged."""
    return _by_persons(_kept(folder)[1])


def _by_persons(steps: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    return {url: answer for step in steps if not step.get("by") for url, answer in step["answers"].items()}


def known_answers(lessons: Lessons, answers: Mapping[str, bool]) -> dict[str, bool]:
    """The answers by the URLs of the pages; ArgumentError that names the URLs of which the job has no text, and for no answer."""
    known, unknown = lessons.known(answers)
    if unknown or not known:
        more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
        named = ", ".join(map(shortened, unknown[:MOST_NAMED]))
        fault = f"are about pages the job has no text of: {named}{more}" if unknown else "there are none"
        raise ArgumentError("answers", fault, "nothing was changed; `scrapy pages JOB` lists its pages")
    return known


def judge_job(
    folder: Path, topic: str = "", running: Running | None = None, progress: Progress | None = None
) -> JudgedAgain:
    """Judge the stored pages of a job again, and return what that has changed.

    `topic`: the name or the file of another topic, which the job has from now on; its queue keeps the order of before. `running`: the crawl
    of the job, if it is running. ArgumentError for a folder without a job, and for another topic while the crawl runs.
    """
    recipe = read_recipe(folder)
    if recipe is None:
        raise ArgumentError(f"folder {folder}", "holds no job", REMEDY)
    if topic:
        if running is not None:
            remedy = (
                f"change its topic: scrapy control {shlex.quote(folder.name)} set topic={shlex.quote(topic)}"
            )
            raise ArgumentError(f"job {folder}", "is running", remedy)
        none: dict[str, Any] = {"topic_fields": None, "strategy_topic": None, "keywords": (), "off_topic": ()}
        recipe = replace(recipe, topic=topic, **none)
        found = topic_of(recipe)
        if not is_catalogued(topic) and len(parts_of(topic)) == 1:
            recipe = replace(recipe, topic_fields=found.model_dump(mode="json"))
        write_recipe(recipe, folder)
    return judge_again(folder, _valid_answers(recipe, folder), running, progress=progress)


def _valid_answers(recipe: Recipe, folder: Path) -> dict[str, bool]:
    """The answers about pages of the job, if they are about the topic of the recipe."""
    base, steps = _kept(folder)
    known = [base, *(step["topic"] for step in steps)] if steps else []
    if len(parts_of(recipe.topic)) > 1 or not known or not _is_of(topic_of(recipe), known, folder):
        return {}
    return answered(folder)


def answers_behind(topic: Topic, folder: Path) -> int:
    """The number of answers from which `topic` was learned in that folder; 0 if it is not the topic of the last step."""
    _, steps = _kept(folder)
    if not steps or make_topic(steps[-1]["topic"], str(folder / TEACHING)) != topic:
        return 0
    return len({url for step in steps for url in step["answers"]})


def _is_of(topic: Topic, known: Sequence[Mapping[str, Any]], folder: Path) -> bool:
    """Whether the topic is one of these, each given by its fields."""
    now = topic.model_dump()
    return any(make_topic(fields, str(folder / TEACHING)).model_dump() == now for fields in known)


def _kept(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    path = folder / TEACHING
    if not path.is_file():
        return {}, []
    file = JsonFile(path, MOST_BYTES, StateError, "file", "use a copy, or move it away")
    steps = file.values.get("steps")
    if not isinstance(steps, list) or not all(
        isinstance(step, dict)
        and isinstance(step.get("answers"), dict)
        and isinstance(step.get("topic"), dict)
        and isinstance(step.get("strategy_topic"), dict | None)
        for step in steps
    ):
        raise file.refused("has no list of steps")
    return file.mapping("base"), steps


def _rescore(folder: Path, recipe: Recipe, lessons: Lessons) -> int:
    """Rescore the waiting URLs for the topic of the recipe; 0 for a job without a stored queue. Returns how many scores have changed."""
    if not is_made(folder / JOB_DATABASE):
        return 0
    parts, before = assemble(recipe), assemble(lessons.recipe)
    with SqliteFrontier(folder / JOB_DATABASE, acknowledgements_per_commit=sys.maxsize) as frontier:
        if lessons.changes_few(parts):
            Checkpoints(before.strategy, frontier.notes, Rescoring(frontier), durable=True).load()
            changed = transfer_state(parts.strategy, before.strategy.save(), frontier)
        else:
            changed = relearn(parts.strategy, frontier, _pages(folder, parts, lessons, lessons.answers))
        Checkpoints(parts.strategy, frontier.notes, Rescoring(frontier)).save_in_place()
        frontier.commit()
    return changed


def _pages(folder: Path, parts: Parts, lessons: Lessons, answers: Mapping[str, bool]) -> Iterator[Page]:
    """The pages fetched, in order, with the relevance by the present page classifier.

    A page whose text is not stored has the relevance in the crawl log. For narrow topics, answers override the relevance, since they decide
    there what is kept.
    """
    at = {record.url: place for place, record in enumerate(lessons.records)}
    page_classifier = parts.strategy_classifier
    for visit in visits_of(folder):
        if not visit.is_page:
            continue
        place = at.get(visit.url)
        words = PageWords() if place is None else lessons.words[place]
        if place is None:
            relevance = visit.relevance
            similarity = similarity_of(relevance, page_classifier.similarity_threshold)
        else:
            similarity = page_classifier.similarity(words)
            relevance = page_classifier.relevance(words)
        if parts.topic.narrow and visit.url in answers:
            relevance = max(relevance, ANSWERED) if answers[visit.url] else min(relevance, 1.0 - ANSWERED)
        record = None if place is None else lessons.records[place]
        is_target = relevance >= page_classifier.threshold
        yield _page_of(visit, record, words, similarity, relevance, is_target=is_target)


def _page_of(
    visit: Visit,
    record: PageRecord | None,
    words: PageWords,
    similarity: float,
    relevance: float,
    *,
    is_target: bool,
) -> Page:
    link = Link(visit.url, host_of(visit.url), visit.anchor, source_url=visit.source_url)
    return Page(
        visit.url,
        depth=0 if record is None else record.depth,
        title="" if record is None else record.title,
        terms=Counter([*words.title, *words.body]),
        similarity=similarity,
        is_target=is_target,
        via=Via(link, visit.score),
        relevance=relevance,
    )
