"""What pyproject.toml cannot say: its packages are found, and models/ and seeds/, beside the package here, are inside it in a wheel or an egg.

scrapyd-deploy needs a setup.py too, or it writes one of its own.
"""

from pathlib import Path

import setuptools

if int(setuptools.__version__.partition(".")[0]) < 77:  # scrapyd-deploy builds with what is installed
    raise SystemExit(
        f"setuptools {setuptools.__version__} is too old to build topiccrawler: pip install 'setuptools>=77,<81'"
    )
# folders of data are packages, too: setuptools warns of each that is not
FOUND = setuptools.find_namespace_packages(
    include=["topiccrawler", "topiccrawler.*"], exclude=["*.__pycache__"]
)
DATA = [
    path for name in ("models", "seeds") for path in (Path(name), *Path(name).rglob("*")) if path.is_dir()
]
BESIDE = {".".join(("topiccrawler", *path.parts)): str(path) for path in DATA}
setuptools.setup(packages=[*FOUND, *BESIDE], package_dir=BESIDE)
