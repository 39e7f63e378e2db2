"""Every kind of reading is known wherever one has to be: `CONTRIBUTING.md` says how to add one."""

from companion.app.cli.read import read
from companion.game.readings import KINDS, Kind
from vision.readers.kinds import READERS
from web.pages.devices import READINGS


def test_every_kind_has_its_reading():
    assert sorted(KINDS.values()) == sorted(Kind)


def test_every_kind_has_its_reader():
    assert set(READERS) == set(Kind)


def test_every_kind_is_read_from_photographs_on_the_command_line():
    assert set(Kind) <= read.commands.keys()


def test_the_house_says_of_every_kind_whether_it_counts_by_itself():
    assert READINGS.keys() == set(Kind)
