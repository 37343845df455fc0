"""Stores pages and fingerprints in a PostgreSQL server and searches them, for many processes and many jobs (setting STORE_URL)."""
