"""Help and faults name the program that was called."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("module", "name"), [("topiccrawler", "topiccrawler"), ("scrapy", "scrapy")])
def test_usage_and_faults_name_the_program_that_was_called(module: str, name: str) -> None:
    def said(*words: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", module, "frontier", *words], capture_output=True, text=True, check=False,
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": "topiccrawler.settings", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        return ran.stdout + ran.stderr

    usage = said("--help")
    assert f"  {name} frontier [JOB]\n  {name} frontier --job NAME" in usage
    assert f"{name} frontier: " in said("--nonsense")
