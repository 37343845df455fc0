"""All is said in pyproject.toml; this file keeps scrapyd-deploy from writing a setup.py of its own."""

from setuptools import setup

setup()
