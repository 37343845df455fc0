"""Programs that make the shipped models. `python -m` runs each; models/README.md has the commands."""
