"""Pages, fingerprints and search in a PostgreSQL server, for many processes and many jobs (setting STORE_URL)."""
