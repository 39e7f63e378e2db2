"""The pseudo-language beside the real ones."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import words
from tests.languages.pseudo import write_pseudo


@pytest.fixture(scope="module")
def pseudo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of catalogues with the pseudo-language among them."""
    with spoken(tmp_path_factory.mktemp("languages")) as folder:
        yield folder


@contextlib.contextmanager
def spoken(folder: Path, growth: float = 0.0) -> Iterator[Path]:
    """Has this process speak the pseudo-language, too, by catalogues in that folder."""
    shutil.copytree(words.FOLDER, folder, dirs_exist_ok=True)
    write_pseudo(folder, growth)
    kept, words.FOLDER = words.FOLDER, folder
    forget()
    yield folder
    words.FOLDER = kept
    forget()
    words.speak(words.ENGLISH)


def forget() -> None:
    for cached in (words.languages, words._catalogue, words._tablet_words, words._translations):
        cached.cache_clear()
