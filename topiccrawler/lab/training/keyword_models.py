"""Makes models/keywords: the link models of the catalogue's topics for which there is no trained model.

    python -m topiccrawler.lab.training.keyword_models models/keywords

Run it after a change of any topic of the catalogue: the keywords of each are negative samples of the others.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from topiccrawler.files import is_file
from topiccrawler.link_model.from_keywords import keyword_model_to_ship
from topiccrawler.link_model.model_file import model_file, save
from topiccrawler.resources import folder as data_folder
from topiccrawler.topics.catalogue import load_topic, topic_names


def untrained() -> Iterator[str]:
    """Yield the names of the topics without a trained model."""
    for name, _ in topic_names():
        if not is_file(model_file(name, data_folder("models"))):
            yield name


def main() -> None:
    """Write the models to the folder of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name in untrained():
        save(keyword_model_to_ship(load_topic(name)), model_file(name, folder))


if __name__ == "__main__":
    main()
