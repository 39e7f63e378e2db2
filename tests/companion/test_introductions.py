"""What a hub is told of the people of a house: nothing until the host allows it, and nothing once they are deleted."""

import pytest

from companion.app.service.introductions import Introductions
from companion.journal.settings import HUB_PEOPLE
from companion.letters.outbox import Outbox, State
from companion.letters.people import open_person
from tests.companion.test_outbox import HUB, Answering, play


class Told:
    """A hub that takes every person, or refuses all."""

    status = 200

    def __init__(self, outbox):
        from companion.letters.keys import Key

        self.key, self.people = Key(outbox.secret), []

    def __call__(self, method, path, body):
        person = open_person(body, {self.key.id: self.key.public}.get)
        assert (method, path) == ("PUT", f"/v1/people/{person.person}")
        if self.status == 200:
            self.people.append(person)
        return self.status, "No."

    def names(self):
        return [person.name for person in self.people]


@pytest.fixture
def outbox(host):
    outbox = Outbox(host.journal)
    outbox.remember(HUB, "CODE1")
    return outbox


@pytest.fixture
def told(outbox):
    return Told(outbox)


@pytest.fixture
def introductions(host, outbox):
    return Introductions(host.journal, outbox)


@pytest.fixture
def ann(host, outbox):
    """A person who has played a game that the hub has."""
    ann = host.people.add("Name 0")
    play(host)
    Answering(host, outbox, (201, "")).go_round()
    HUB_PEOPLE.put(host.journal, True)
    return ann


def test_nobody_is_told_unless_the_host_allows_it(host, introductions, told, ann):
    HUB_PEOPLE.put(host.journal, False)
    assert (introductions.send(told), told.people) == ("", [])


def test_a_person_of_an_uploaded_game_is_told_once(introductions, told, ann, host):
    assert introductions.send(told) == ""
    (person,) = told.people
    assert (person.person, person.name, set(person.players)) == (ann.id, "Name 0", set(host.people.seats(ann.id)))
    introductions.send(told)
    assert len(told.people) == 1


def test_a_game_that_is_not_there_yet_tells_nobody(host, outbox, introductions, told, ann):
    outbox.mark(1, State.WAITING)
    introductions.send(told)
    assert told.people == []


def test_a_new_name_is_told(host, introductions, told, ann):
    introductions.send(told)
    host.people.change(ann.id, "Anna", ann.symbol, ann.colour)
    introductions.send(told)
    assert told.names() == ["Name 0", "Anna"]


def test_a_deleted_person_is_taken_back(host, introductions, told, ann):
    introductions.send(told)
    host.people.erase(ann.id)
    introductions.send(told)
    assert [(person.name, person.players) for person in told.people[1:]] == [("", ())]
    introductions.send(told)
    assert len(told.people) == 2


def test_everybody_is_taken_back_when_the_host_takes_the_tick_away(host, introductions, told, ann):
    introductions.send(told)
    HUB_PEOPLE.put(host.journal, False)
    introductions.send(told)
    assert told.names() == ["Name 0", ""]


def test_what_the_hub_did_not_take_is_told_again(introductions, told, ann):
    told.status = 503
    assert introductions.send(told) == "No."
    told.status = 200
    introductions.send(told)
    assert told.names() == ["Name 0"]


def test_a_new_hub_is_told_anew(host, outbox, introductions, told, ann):
    introductions.send(told)
    outbox.remember(HUB, "CODE2")
    again = Told(outbox)
    introductions.send(again)
    assert again.people == []  # it has none of the games
