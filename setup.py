"""What pyproject.toml cannot say: its packages are found, and models/ and seeds/, beside the package here, are inside it in a wheel or an egg.

scrapyd-deploy needs a setup.py too, or it writes one of its own.
"""

import setuptools

if int(setuptools.__version__.partition(".")[0]) < 77:  # scrapyd-deploy builds with what is installed
    raise SystemExit(
        f"setuptools {setuptools.__version__} is too old to build topiccrawler: pip install 'setuptools>=77,<81'"
    )
FOUND = setuptools.find_packages(include=["topiccrawler", "topiccrawler.*"])
BESIDE = {f"topiccrawler.{folder}": folder for folder in ("models", "seeds")}
setuptools.setup(packages=[*FOUND, *BESIDE], package_dir=BESIDE)
