-- The crawl log.
CREATE TABLE visits (number INTEGER PRIMARY KEY, url TEXT NOT NULL, status INTEGER NOT NULL, score REAL NOT NULL, relevance REAL NOT NULL,
    stored INTEGER NOT NULL, time REAL NOT NULL, source_url TEXT NOT NULL, anchor TEXT NOT NULL, shares TEXT NOT NULL, gate TEXT NOT NULL,
    etag TEXT NOT NULL, modified TEXT NOT NULL, challenge TEXT NOT NULL);
CREATE INDEX visits_url ON visits (url);
-- A sample of the links that the gate kept out of the queue.
CREATE TABLE refused (number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, anchor TEXT NOT NULL, source_url TEXT NOT NULL,
    probability REAL NOT NULL, time REAL NOT NULL);
CREATE TABLE fingerprints (
    row INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, digest INTEGER NOT NULL, bits BLOB NOT NULL);
CREATE INDEX digests ON fingerprints (digest);
-- Where the HTML of a page is in pages.warc.gz, in bytes.
CREATE TABLE html (url TEXT PRIMARY KEY, begin INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX html_begin ON html (begin, length);
CREATE TABLE outlinks (url TEXT PRIMARY KEY, targets BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE checks (
    url TEXT PRIMARY KEY, looked REAL NOT NULL, etag TEXT NOT NULL, modified TEXT NOT NULL, digest TEXT NOT NULL,
    looks INTEGER NOT NULL, changes INTEGER NOT NULL, misses INTEGER NOT NULL, gone REAL NOT NULL) WITHOUT ROWID;
-- What sites repeat: a compressed table of counts, and what was counted since.
CREATE TABLE site_repeats (number INTEGER PRIMARY KEY, counts BLOB NOT NULL);
-- The search index.
CREATE TABLE documents (id INTEGER PRIMARY KEY, page INTEGER UNIQUE,
    relevance REAL NOT NULL, topic TEXT NOT NULL, host TEXT NOT NULL, day TEXT NOT NULL, format TEXT NOT NULL, kind TEXT NOT NULL,
    language TEXT NOT NULL, usage TEXT NOT NULL, refused INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (text, title, content='', tokenize="ascii tokenchars '+#'");
CREATE VIRTUAL TABLE media_words USING fts5 (text, content='', tokenize="ascii tokenchars '+#'");
INSERT INTO words (words, rank) VALUES ('pgsz', 8000), ('automerge', 8), ('crisismerge', 64);
