"""The pseudo-language beside the real ones."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import words
from tests.languages.pseudo import write_pseudo


@pytest.fixture(scope="module")
def pseudo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of catalogues with the pseudo-language among them."""
    folder = tmp_path_factory.mktemp("languages")
    shutil.copytree(words.FOLDER, folder, dirs_exist_ok=True)
    write_pseudo(folder)
    kept, words.FOLDER = words.FOLDER, folder
    forget()
    yield folder
    words.FOLDER = kept
    forget()
    words.speak(words.ENGLISH)


def forget() -> None:
    for cached in (words.languages, words._catalogue, words._tablet_words):
        cached.cache_clear()
