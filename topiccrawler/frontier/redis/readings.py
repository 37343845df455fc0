"""Queues of hosts that are read on, when what is held of them is used up; meanwhile other hosts are asked."""

from __future__ import annotations

from topiccrawler.frontier.redis.calls import Call
from topiccrawler.frontier.redis.questions import Question
from topiccrawler.frontier.redis.tops import Tops
from topiccrawler.frontier.redis.worker import Worker


class Readings:
    """On their way, one a host."""

    def __init__(self, worker: Worker, tops: Tops) -> None:
        self._worker, self._tops = worker, tops
        self._open: dict[str, Question] = {}

    def __bool__(self) -> bool:
        """Some are."""
        return bool(self._open)

    def begin(self, host: str) -> bool:
        """False while the server is away."""
        question = self._worker.begin(Call("first", [host, self._tops.keep]))
        if question is not None:
            self._open[host] = question
            self._tops.reading(host)
        return question is not None

    def finish(self, seconds: float) -> None:
        """Wait for them."""
        for question in list(self._open.values()):
            question.call.done.wait(seconds)
        self.hear()

    def hear(self) -> None:
        """Take those that came. Where the host's queue changed here since, it is read once more when it is needed."""
        for host, question in list(self._open.items()):
            call = question.call
            if not call.done.is_set():
                self._worker.connection.miss(call)
                continue
            del self._open[host]
            self._worker.questions.close(question)
            self._tops.read_now.discard(host)
            whole = call.error is None and question.session == self._worker.session
            if whole and host in self._tops.owned and host not in question.hosts | question.taken:
                self._worker.read(call.reply)
            else:
                self._tops.settle(host)
