-- The tables of all jobs. $version: of these tables; $fields: a column for each field of a page (store.pages.PageRecord).
CREATE SCHEMA topiccrawler;
CREATE TABLE topiccrawler.about (version INTEGER NOT NULL);
INSERT INTO topiccrawler.about VALUES ($version);
CREATE TABLE topiccrawler.jobs (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, recipe TEXT NOT NULL,
    begun TIMESTAMPTZ NOT NULL DEFAULT now());
CREATE TABLE topiccrawler.pages (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job INTEGER NOT NULL REFERENCES topiccrawler.jobs ON DELETE CASCADE,
    key BYTEA NOT NULL,
    $fields,
    host TEXT NOT NULL, day TEXT NOT NULL, words TSVECTOR NOT NULL, media_words TSVECTOR NOT NULL, UNIQUE (job, key));
CREATE INDEX pages_order ON topiccrawler.pages (job, id);
CREATE INDEX pages_best ON topiccrawler.pages (job, relevance DESC) WHERE stored;
CREATE INDEX pages_judged ON topiccrawler.pages (job, judged) WHERE judged > 0;
CREATE INDEX pages_copies ON topiccrawler.pages (job, md5(alias_of)) WHERE alias_of <> '';
CREATE INDEX pages_words ON topiccrawler.pages USING gin (words);
CREATE INDEX pages_media_words ON topiccrawler.pages USING gin (media_words);
CREATE TABLE topiccrawler.fingerprints (
    job INTEGER NOT NULL REFERENCES topiccrawler.jobs ON DELETE CASCADE, row INTEGER NOT NULL, changed BIGINT NOT NULL,
    key BYTEA NOT NULL, url TEXT NOT NULL, digest BIGINT NOT NULL, bits BYTEA NOT NULL, PRIMARY KEY (job, row), UNIQUE (job, key));
CREATE INDEX fingerprints_digest ON topiccrawler.fingerprints (job, digest);
CREATE INDEX fingerprints_changed ON topiccrawler.fingerprints (job, changed);
