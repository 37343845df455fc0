"""The frontier in Redis: several processes work on one crawl (docs/scaling.md)."""
