"""What is known of URLs: asked for in one go, waited for or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future

from topiccrawler.frontier.redis.batch import Argument
from topiccrawler.frontier.redis.calls import Call
from topiccrawler.frontier.redis.client import AwayError
from topiccrawler.frontier.redis.entries import Entries
from topiccrawler.frontier.redis.questions import Question
from topiccrawler.frontier.redis.records import digest
from topiccrawler.frontier.redis.worker import Worker
from topiccrawler.urls.canonical import host_of

UNHEARD_SECONDS = 2.0  # an asker comes within milliseconds


class LookUps:
    """Hosts that nobody has are taken along, while there is room."""

    def __init__(self, worker: Worker, entries: Entries, keep: int) -> None:
        self._worker, self._entries, self._keep = worker, entries, keep

    def ask(self, urls: Iterable[str]) -> bool:
        """Ask and wait. False while the server is away."""
        if not (wanted := self._unknown(urls)):
            return True
        try:
            found, taken = self._worker.ask("look_up", self._arguments(wanted))
        except AwayError:
            return False
        self._worker.took(taken)
        for (url, key), raw in zip(wanted.items(), found, strict=True):
            self._entries.met(url, key, raw)
        return True

    def begin(self, urls: Iterable[str]) -> Question | None:
        """Ask, and go on: what comes is for `hear`, once `call.answer` is done. None = all is known, or the server is away."""
        if not (wanted := self._unknown(urls)):
            return None
        call = Call("look_up", self._arguments(wanted), answer=Future())
        return self._worker.begin(call, wanted)

    def hear_rest(self) -> None:
        """Answers whose askers are gone: the hosts that came with them are this worker's."""
        for question in self._worker.questions.unheard(UNHEARD_SECONDS):
            self.hear(question)

    def hear(self, question: Question) -> None:
        """The answer came. Of what changed here meanwhile nothing is taken from it: it is asked for again when it is needed."""
        worker, entries = self._worker, self._entries
        if question.call.error is not None or question.session != worker.session:
            worker.questions.close(question)
            return
        if worker.questions.close(question):
            worker.took(question.call.reply[1], question)
        found = question.call.reply[0]
        for (url, key), raw in zip(question.wanted.items(), found, strict=True):
            changed = key in question.keys or (question.taken and host_of(url) in question.taken)
            if not changed and not entries.knows(url):
                entries.met(url, key, raw)

    def _unknown(self, urls: Iterable[str]) -> Mapping[str, bytes]:
        return {url: digest(url) for url in urls if not self._entries.knows(url)}

    def _arguments(self, wanted: Mapping[str, bytes]) -> list[Argument]:
        hosts = self._worker.to_take(map(host_of, wanted))
        return [self._worker.session, self._keep, len(wanted), *wanted.values(), *hosts]
