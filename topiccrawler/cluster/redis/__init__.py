"""A frontier in Redis, with which several processes share one crawl (docs/scaling.md)."""
