"""Full-text search in the pages of a job in PostgreSQL: one index for all processes, filled as pages are kept.

It is the database's own (tsvector, GIN), not a file of FTS5 beside each reader: that would be made anew on every machine that searches, from all texts,
and never be as new as the store.

Formula    rank = ts_rank_cd (cover density; a word of the title counts five times; divided by 1 + log of the length) * relevance of the page
But        not BM25: how rare a word is does not count. Of more than MOST_RANKED matching pages the most relevant are ranked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from topiccrawler.store.index import MOST_RANKED, Found
from topiccrawler.store.pages import COLUMNS, record_from
from topiccrawler.store.postgresql.pages import PostgresPages
from topiccrawler.store.postgresql.selecting import condition
from topiccrawler.store.postgresql.words import words_of_page
from topiccrawler.store.selection import Selection

WEIGHTS = "{0.2, 0.2, 0.2, 1}"  # of D, C, B, A
BY_LENGTH = 1
BATCH = 64  # pages indexed in one transaction
_UNINDEXED = "FROM topiccrawler.pages WHERE job = %s AND words IS NULL"


class PostgresIndex:
    """Of one job."""

    def __init__(self, pages: PostgresPages) -> None:
        self._pages = pages

    def catch_up(self, told: Callable[[int, int], None] | None = None) -> int:
        """Index the pages that were kept with TOPIC_INDEX=False; how many these were. `told`: hears of pages done and to do."""
        done, left = 0, self._left()
        total = left
        while left:
            self._pages.session.ask(self._index_some)
            now = self._left()
            done, left = done + max(left - now, 0), now if now < left else 0
            if told is not None:
                told(done, total)
        return done

    def find(self, expression: str, selection: Selection, limit: int) -> list[Found]:
        """The best pages that match a tsquery (results.query makes it), the best first."""
        chosen, values = condition(selection)
        matching = (
            f"SELECT id, fetched, words, relevance FROM topiccrawler.pages WHERE job = %s AND words @@ %s::tsquery AND {chosen} "  # noqa: S608
            f"ORDER BY relevance DESC LIMIT {MOST_RANKED}"
        )
        asked = (
            f"SELECT id, fetched, ts_rank_cd('{WEIGHTS}', words, %s::tsquery, {BY_LENGTH}) * relevance AS rank "  # noqa: S608
            f"FROM ({matching}) AS matching ORDER BY rank DESC, id LIMIT %s"
        )

        def look(connection: Any) -> list[Found]:
            job = self._pages.number(connection)
            return [
                Found(*row)
                for row in connection.execute(asked, (expression, job, expression, *values, limit))
            ]

        return self._pages.session.ask(look)

    def _left(self) -> int:
        def count(connection: Any) -> int:
            asked = f"SELECT count(*) {_UNINDEXED}"
            return int(connection.execute(asked, (self._pages.number(connection),)).fetchone()[0])

        return self._pages.session.ask(count)

    def _index_some(self, connection: Any) -> None:
        asked = f"SELECT id, {', '.join(COLUMNS)} {_UNINDEXED} ORDER BY id LIMIT {BATCH}"
        for row, *page in connection.execute(asked, (self._pages.number(connection),)).fetchall():
            words = words_of_page(record_from(page))
            connection.execute(
                "UPDATE topiccrawler.pages SET words = %s::tsvector WHERE id = %s AND words IS NULL",
                (words, row),
            )
