CREATE TABLE fingerprints (
    row INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, digest INTEGER NOT NULL, bits BLOB NOT NULL);
CREATE INDEX digests ON fingerprints (digest);
