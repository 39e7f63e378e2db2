"""Makes the people of a house known to its hub, if the host allows it, and takes that back when somebody is deleted."""

from collections.abc import Callable
from http import HTTPStatus

from companion.clock import wall_us
from companion.foreign import read_json
from companion.journal.session import canonical_json, digest
from companion.journal.settings import HUB_PEOPLE, HUB_PERSON
from companion.journal.store import Journal
from companion.letters.keys import Key
from companion.letters.outbox import Outbox
from companion.letters.people import Person, seal_person

Ask = Callable[[str, str, bytes], tuple[int, str]]

PEOPLE = """
    SELECT profiles.id, profiles.name, json_group_array(seats.player)
    FROM profiles JOIN seats ON seats.profile = profiles.id
    WHERE seats.player IN (
        SELECT here.value FROM sessions, json_each(sessions.header, '$.players') AS here
        WHERE sessions.id IN (SELECT session FROM outbox WHERE state = 'uploaded')
    )
    GROUP BY profiles.id
"""


class Introductions:
    """What the hub of one journal knows of its people."""

    def __init__(self, journal: Journal, outbox: Outbox) -> None:
        self._journal, self._outbox = journal, outbox

    def send(self, ask: Ask) -> str:
        """Tells the hub what it does not know yet; returns what is wrong, or "".

        ask     sends a request to the hub; gives its status and sentence
        """
        sent_marks = self._sent_marks()
        allowed = self._allowed()
        for person in sorted({*sent_marks, *allowed}):
            name, players = allowed.get(person, ("", ()))
            mark = digest(canonical_json([name, players])) if name else ""
            if mark == sent_marks.get(person, ""):
                continue
            key = Key(self._outbox.secret)
            message = Person(key=key.id, person=person, name=name, players=players, at_us=wall_us())
            status, sentence = ask("PUT", f"/v1/people/{person}", seal_person(key, message))
            if status != HTTPStatus.OK:
                return sentence
            self._remember(person, mark)
        return ""

    def _allowed(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Person → name and players in the games that the hub has; nobody if the host does not allow it."""
        if not HUB_PEOPLE.of(self._journal):
            return {}
        rows = self._journal.select(PEOPLE)
        return {person: (name, tuple(sorted(read_json(players)))) for person, name, players in rows}

    def _sent_marks(self) -> dict[str, str]:
        """Person → digest of what the hub was told last."""
        beginning = HUB_PERSON.for_key("").name
        rows = self._journal.select("SELECT name, value FROM settings WHERE name GLOB ?", (f"{beginning}*",))
        return {name.removeprefix(beginning): mark for name, mark in rows}

    def _remember(self, person: str, mark: str) -> None:
        with self._journal.changing() as db:
            if mark:
                HUB_PERSON.for_key(person).insert(db, mark)
            else:
                db.execute("DELETE FROM settings WHERE name = ?", (HUB_PERSON.for_key(person).name,))
