"""Provides a synthetic Chinese web for demos and tests: no download, no load on real sites, and known truth about every page."""
