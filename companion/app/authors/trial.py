"""A game tried by a player who takes any legal event: what its rules and pages promise, and whether they keep it."""

import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from companion.app.bench.rules import choices
from companion.errors import CompanionError, IllegalEvent
from companion.foreign import read_json
from companion.game.game import AnyGame, Event, State
from companion.game.players import Viewer
from companion.house.host import Host
from companion.journal.codec import event_from_json, event_to_json, state_to_json
from companion.journal.events import Origin
from companion.journal.session import canonical_json
from companion.journal.store import Journal
from web.app import create_app

LONGEST = 5_000  # events of a game that ends
MOST_DRAWN = 120  # events of the game that is played at a table
LOOKED_AT = 10  # games of which each state is seen, told and stored; all others are only played
PAGES = ("/s/{}", "/s/{}/sheet", "/s/{}/history", "/s/{}/result", "/s/{}/how", "/board")
NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jule", "Kim", "Lea")


class Fault(Exception):
    """What is wrong with the game, in one sentence."""


class Trial:
    """Faults of a game, each once, with how often it was seen."""

    def __init__(self, game: AnyGame, seed: int) -> None:
        self.game = game
        self.faults: dict[str, int] = {}
        self.events = 0
        self._chance = Random(seed)

    def play(self, number: int) -> None:
        """Plays one game to its end; the numbers of players take turns."""
        fewest, most = self.game.rules.seats
        players = NAMES[: fewest + number % (min(most, len(NAMES)) - fewest + 1)]
        try:
            state = self._call("start", self.game.rules.start, self.game.rules.options(), players)
            self._to_the_end(state, is_looked_at=number < LOOKED_AT)
        except Fault as fault:
            self._note(fault)

    def draw(self) -> None:
        """Plays one game at a table, with its undo and its pages."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                self._at_a_table(Path(folder))
        except Fault as fault:
            self._note(fault)

    def _to_the_end(self, state: State, is_looked_at: bool) -> None:
        rules, events, first = self.game.rules, list[Event](), state
        while not self._call("is_over", rules.is_over, state):
            if len(events) == LONGEST:
                raise Fault(f"A game didn't end within {LONGEST:,} events: let every game come to its end.")
            possible = self._possible(state)
            if not possible:
                raise Fault("Nobody can do anything, and is_over() doesn't say that the game is over.")
            event = self._chance.choice(possible)
            self._add_up(state)
            if is_looked_at:
                self._look(state, event)
            before = state_text(state) if is_looked_at else ""
            after = self._call("apply", rules.apply, state, event)
            if before and before != state_text(state):
                raise Fault(
                    f"apply() changed the state that it was given, by {event!r}: make a new one with replace()."
                )
            events.append(event)
            state = after
        self.events += len(events)
        self._add_up(state)
        self._end(state)
        if is_looked_at and self._replayed(first, events) != state:
            raise Fault("The same events gave another state: start() and apply() may read no clock and no chance.")

    def _possible(self, state: State) -> list[Event]:
        """What may happen: legal events of everybody, and what the clock brings."""
        legal = list(self._call("legal", lambda: list(choices(self.game, state))))
        due = self._call("due", self.game.rules.due, state)
        by_kind: dict[str, list[Event]] = {}
        for event in (*legal, *([due.event] if due else [])):
            by_kind.setdefault(type(event).__name__, []).append(event)
        return self._chance.choice(list(by_kind.values())) if by_kind else []

    def _look(self, state: State, event: Event) -> None:
        """A state and an event as pages, history and journal see them."""
        names = {player: player for player in state.players}
        told = self._call("describe", self.game.pages.describe, state, event, Viewer(None, names))
        if not (isinstance(told, str) and told.strip().endswith((".", "!", "?"))):
            raise Fault(f"describe() says {told!r} of {event!r}: say it in a whole sentence.")
        text = self._call("an event", lambda: canonical_json(event_to_json(event)))
        stored = self._call("an event", lambda: event_from_json(self.game, read_json(text)))
        if stored != event:
            raise Fault(f"{event!r} is another event once it was stored: use numbers, texts, tuples and dataclasses.")
        for player in (None, *state.players):
            self._call("view", self.game.pages.view, state, Viewer(player, names))
        self._call("look", self.game.box.look, state, 0)
        for player in state.players:
            lines = self._call("explain", self.game.rules.explain, state, player)
            if sum(points for _text, points, _rule in lines) != self.game.rules.score(state)[player]:
                raise Fault("The lines of explain() don't add up to score().")

    def _add_up(self, state: State) -> None:
        points = self._call("score", self.game.rules.score, state)
        if list(points) != list(state.players):
            raise Fault("score() has to give every player's points, in the order of the seats.")

    def _end(self, state: State) -> None:
        if not set(self._call("winners", self.game.rules.winners, state)) <= set(state.players):
            raise Fault("winners() names somebody who didn't play.")
        if self._call("awaiting", self.game.rules.awaiting, state):
            raise Fault("The game is over, and awaiting() still waits for somebody.")

    def _replayed(self, state: State, events: list[Event]) -> State:
        for event in events:
            state = self._call("apply", self.game.rules.apply, state, event)
        return state

    def _at_a_table(self, folder: Path) -> None:
        fewest, most = self.game.rules.seats
        host = Host(Journal(folder / "journal.sqlite3"))
        host.clock.offset_us += 10**12  # Every event of the game lies in the past.
        with closing(host.journal), closing(host.live):
            client = create_app(host).test_client()
            names = list(NAMES[: min(most, max(fewest, 2))])
            table = self._call("start", host.create, self.game.rules.name, names, {})
            for number in range(MOST_DRAWN):
                self._draw(client, table.session.id, PAGES if number % 20 == 0 else PAGES[1:2])
                if self.game.rules.is_over(table.state):
                    break
                before = table.state
                possible = self._possible(before)
                if not possible:
                    break
                event = self._chance.choice(possible)
                try:
                    table.submit(event, Origin(f"trial-{number}"))
                except CompanionError as refusal:
                    raise Fault(f"legal() or due() offers {event!r}, and the table refuses it: {refusal}") from refusal
                if number % 5 == 0:
                    table.undo(Origin(f"undo-{number}"))
                    if table.state != before:
                        raise Fault("An undo didn't bring back the state before: start() or apply() keeps something.")
                    table.submit(event, Origin(f"again-{number}"))
            self._draw(client, table.session.id, PAGES)

    def _draw(self, client: Any, session: str, pages: tuple[str, ...]) -> None:
        for page in pages:
            answer = self._call("a page", client.get, page.format(session))
            if answer.status_code >= 400:
                raise Fault(f"The page {page.format('…')} answers {answer.status_code}: look at the log above.")

    def _call(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function gives; raises Fault where it fails in a way that its callers do not expect."""
        try:
            return function(*arguments)
        except Fault:
            raise
        except IllegalEvent as refusal:
            raise Fault(f"{what}() refuses what the game offers itself: {refusal}") from refusal
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}, line {where.lineno}"
            raise Fault(f"{what}() fails with {type(error).__name__}: {error} ({place}).") from error

    def _note(self, fault: Fault) -> None:
        self.faults[str(fault)] = self.faults.get(str(fault), 0) + 1


def state_text(state: State) -> str:
    """A state as text: what apply() was given must read the same afterwards."""
    return canonical_json(state_to_json(state))


def lines(trial: Trial) -> Iterator[str]:
    """A line for each fault."""
    for sentence, times in trial.faults.items():
        yield f"{sentence} (in {times:,} game{'s' if times > 1 else ''})" if times > 1 else sentence
