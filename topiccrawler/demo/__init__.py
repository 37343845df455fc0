"""A Chinese web that is made up: nothing to download, nobody to disturb, and the truth about every page is known."""
