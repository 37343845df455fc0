"""All is said in pyproject.toml; this file keeps scrapyd-deploy from writing a setup.py of its own."""

import setuptools

if int(setuptools.__version__.partition(".")[0]) < 77:  # scrapyd-deploy builds with what is installed
    raise SystemExit(
        f"setuptools {setuptools.__version__} is too old to build topiccrawler: pip install 'setuptools>=77,<81'"
    )
setuptools.setup()
