-- Columns that change often (score, state) are apart from long ones (URL, link text); a raise replaces the values in urls and links.
CREATE TABLE hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE sources (id INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE urls (number INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, digest_check INTEGER NOT NULL,
    host INTEGER NOT NULL, score REAL NOT NULL, shares BLOB NOT NULL, carry REAL NOT NULL, tunnel INTEGER NOT NULL, state INTEGER NOT NULL,
    reason TEXT NOT NULL, added REAL NOT NULL, changed REAL NOT NULL, seen_anchors INTEGER NOT NULL, tries INTEGER NOT NULL);
CREATE TABLE links (number INTEGER PRIMARY KEY, url TEXT NOT NULL, anchor TEXT NOT NULL, before TEXT NOT NULL,
    after TEXT NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL, region TEXT NOT NULL, path TEXT NOT NULL,
    kind TEXT NOT NULL, position INTEGER NOT NULL, depth INTEGER NOT NULL, nofollow INTEGER NOT NULL,
    source INTEGER NOT NULL);
CREATE TABLE raises (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, score REAL NOT NULL, shares BLOB NOT NULL, carry REAL NOT NULL,
    tunnel INTEGER NOT NULL, anchor TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, title TEXT NOT NULL,
    heading TEXT NOT NULL, region TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL,
    depth INTEGER NOT NULL, nofollow INTEGER NOT NULL, source INTEGER NOT NULL);
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
