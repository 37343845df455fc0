"""Page judges by name: who says whether a page is about the topic."""
