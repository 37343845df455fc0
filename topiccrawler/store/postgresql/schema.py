"""The tables: made by the first process that finds none, in a schema of their own, for all jobs of the database.

Jobs are told apart by a column, not by a schema a job: workers that join need no right to make tables, all jobs are looked at with one
query, and to delete its row of the table of jobs forgets one. A page is known by a digest of its URL, because an index takes no
text of more than 2 700 bytes.
"""

from __future__ import annotations

from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.store.pages import COLUMNS

VERSION = 1
LOCK = 0x746F7063  # "topc": of the advisory locks of ours; the second number is the job
_KINDS = {
    **dict.fromkeys(("relevance", "score", "fetched"), "DOUBLE PRECISION"),
    **dict.fromkeys(("depth", "status"), "INTEGER"),
    "stored": "BOOLEAN",
    "url": 'TEXT COLLATE "C"',
}
_FIELDS = ", ".join(f"{name} {_KINDS.get(name, 'TEXT')} NOT NULL" for name in COLUMNS)
_SCHEMA = f"""
CREATE SCHEMA topiccrawler;
CREATE TABLE topiccrawler.about (version INTEGER NOT NULL);
INSERT INTO topiccrawler.about VALUES ({VERSION});
CREATE TABLE topiccrawler.jobs (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, recipe TEXT NOT NULL,
    begun TIMESTAMPTZ NOT NULL DEFAULT now());
CREATE TABLE topiccrawler.pages (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job INTEGER NOT NULL REFERENCES topiccrawler.jobs ON DELETE CASCADE,
    key BYTEA NOT NULL, {_FIELDS}, host TEXT NOT NULL, day TEXT NOT NULL, words TSVECTOR, UNIQUE (job, key));
CREATE INDEX pages_order ON topiccrawler.pages (job, id);
CREATE INDEX pages_best ON topiccrawler.pages (job, relevance DESC) WHERE stored;
CREATE INDEX pages_copies ON topiccrawler.pages (job, md5(alias_of)) WHERE alias_of <> '';
CREATE INDEX pages_words ON topiccrawler.pages USING gin (words);
CREATE INDEX pages_unindexed ON topiccrawler.pages (job, id) WHERE words IS NULL;
CREATE TABLE topiccrawler.fingerprints (
    job INTEGER NOT NULL REFERENCES topiccrawler.jobs ON DELETE CASCADE, row INTEGER NOT NULL, changed BIGINT NOT NULL,
    key BYTEA NOT NULL, url TEXT NOT NULL, digest BIGINT NOT NULL, bits BYTEA NOT NULL, PRIMARY KEY (job, row), UNIQUE (job, key));
CREATE INDEX fingerprints_digest ON topiccrawler.fingerprints (job, digest);
CREATE INDEX fingerprints_changed ON topiccrawler.fingerprints (job, changed);
"""  # noqa: S608


def check_schema(connection: Any, name: str) -> None:
    """Make the tables where there are none. StateError for those of another version, and for a database that cannot hold all texts."""
    coding = connection.execute("SHOW server_encoding").fetchone()[0]
    if coding != "UTF8":
        remedy = "make another: createdb --encoding=UTF8 --template=template0 NAME"
        raise StateError(name, f"is a database of encoding {coding}, which lacks characters", remedy)
    if not _is_made(connection):
        connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (LOCK,))  # others may be at it
        if not _is_made(connection):
            connection.execute(_SCHEMA)
    version = connection.execute("SELECT version FROM topiccrawler.about").fetchone()[0]
    if version != VERSION:
        fault = f"holds page stores of version {version}, this program reads {VERSION}"
        raise StateError(
            name, fault, "give another database, or export them with the program that wrote them"
        )


def _is_made(connection: Any) -> bool:
    asked = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'topiccrawler' AND tablename = 'about'"
    return connection.execute(asked).fetchone() is not None
