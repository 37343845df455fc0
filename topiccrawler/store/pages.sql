CREATE TABLE pages (
    url TEXT NOT NULL UNIQUE, title TEXT NOT NULL, text TEXT NOT NULL, summary TEXT NOT NULL, relevance REAL NOT NULL,
    depth INTEGER NOT NULL, topic TEXT NOT NULL, source_url TEXT NOT NULL, anchor TEXT NOT NULL, score REAL NOT NULL,
    fetched REAL NOT NULL, status INTEGER NOT NULL, encoding TEXT NOT NULL, published TEXT NOT NULL, modified TEXT NOT NULL,
    language TEXT NOT NULL, canonical_url TEXT NOT NULL, keywords TEXT NOT NULL, description TEXT NOT NULL,
    author TEXT NOT NULL, format TEXT NOT NULL, kind TEXT NOT NULL,
    usage TEXT NOT NULL, licence TEXT NOT NULL, personal_data TEXT NOT NULL,
    opinion TEXT NOT NULL, opinion_reason TEXT NOT NULL,
    evidence BLOB NOT NULL, judged REAL NOT NULL, refused INTEGER NOT NULL, refusal TEXT NOT NULL, alias_of TEXT NOT NULL, media TEXT NOT NULL,
    stored INTEGER NOT NULL, content_hash TEXT NOT NULL);

-- For what lists pages: SQLite would walk through every text to the columns behind it.
CREATE INDEX pages_copies ON pages (alias_of) WHERE alias_of <> '';
CREATE INDEX pages_best ON pages (relevance DESC, url, stored, format, kind, topic, published, fetched);
CREATE INDEX pages_judged ON pages (judged) WHERE judged > 0;
