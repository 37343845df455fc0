-- The tables of all jobs. $version: of these tables. A page has a column for each of its fields (store.pages.PageRecord).
CREATE SCHEMA topiccrawler;
CREATE TABLE topiccrawler.about (version INTEGER NOT NULL);
INSERT INTO topiccrawler.about VALUES ($version);
CREATE TABLE topiccrawler.jobs (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, recipe TEXT NOT NULL,
    begun TIMESTAMPTZ NOT NULL DEFAULT now());
CREATE TABLE topiccrawler.pages (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job INTEGER NOT NULL REFERENCES topiccrawler.jobs ON DELETE CASCADE,
    key BYTEA NOT NULL,
    url TEXT COLLATE "C" NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, topic TEXT NOT NULL, relevance DOUBLE PRECISION NOT NULL,
    depth INTEGER NOT NULL, source_url TEXT NOT NULL, anchor TEXT NOT NULL, score DOUBLE PRECISION NOT NULL, encoding TEXT NOT NULL,
    status INTEGER NOT NULL, fetched DOUBLE PRECISION NOT NULL, summary TEXT NOT NULL, published TEXT NOT NULL, modified TEXT NOT NULL,
    language TEXT NOT NULL, canonical_url TEXT NOT NULL, keywords TEXT NOT NULL, description TEXT NOT NULL, author TEXT NOT NULL, format TEXT NOT NULL,
    kind TEXT NOT NULL,
    usage TEXT NOT NULL, licence TEXT NOT NULL, personal_data TEXT NOT NULL,
    opinion TEXT NOT NULL, opinion_reason TEXT NOT NULL,
    evidence BYTEA NOT NULL, judged DOUBLE PRECISION NOT NULL, refused BOOLEAN NOT NULL, refusal TEXT NOT NULL,
    alias_of TEXT NOT NULL, stored BOOLEAN NOT NULL, content_hash TEXT NOT NULL, media TEXT NOT NULL,
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
