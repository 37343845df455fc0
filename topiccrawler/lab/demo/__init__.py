"""A synthetic Chinese web: nothing to download, nobody to disturb, and the truth about every page is known."""
