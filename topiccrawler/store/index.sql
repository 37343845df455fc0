CREATE TABLE documents (id INTEGER PRIMARY KEY, page INTEGER UNIQUE, fetched REAL NOT NULL,
    relevance REAL NOT NULL, topic TEXT NOT NULL, host TEXT NOT NULL, day TEXT NOT NULL, format TEXT NOT NULL, kind TEXT NOT NULL,
    refused INTEGER NOT NULL);
CREATE INDEX documents_fetched ON documents (fetched);
CREATE VIRTUAL TABLE words USING fts5 (text, title, content='', tokenize="ascii tokenchars '+#'");
CREATE VIRTUAL TABLE media_words USING fts5 (text, content='', tokenize="ascii tokenchars '+#'");
INSERT INTO words (words, rank) VALUES ('hashsize', 4000000), ('pgsz', 8000);  -- bytes
