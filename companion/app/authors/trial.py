"""A game tried by a player who takes any legal event: what its rules and pages promise, and whether they keep it."""

import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from companion.app.bench.rules import choices
from companion.errors import CompanionError, IllegalEvent
from companion.foreign import read_json
from companion.game.game import AnyGame, Event, Options, State
from companion.game.options import option_infos
from companion.game.players import Viewer
from companion.house.host import Host
from companion.journal.codec import event_from_json, event_to_json, state_to_json
from companion.journal.events import Origin
from companion.journal.session import canonical_json
from companion.journal.store import Journal
from web.app import create_app

LONGEST = 5_000  # events of a game that ends
LONGEST_OTHERWISE = 500  # Other options may ask for a million points: such a game is left after so many events.
MOST_DRAWN = 120  # events of the game that is played at a table
LOOKED_AT = 10  # games at least, and one for each value: each state is seen, told and stored; others are only played
PAGES = ("/s/{}", "/s/{}/sheet", "/s/{}/history", "/s/{}/result", "/s/{}/how", "/board")
NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jule", "Kim", "Lea")


class Fault(Exception):
    """What is wrong with the game, in one sentence."""


class Trial:
    """Faults of a game, each once, with how often it was seen and the options of the first time.

    left    how many games were left before their end
    """

    def __init__(self, game: AnyGame, seed: int) -> None:
        self.game = game
        self.faults: dict[str, int] = {}
        self.first: dict[str, str] = {}
        self.events = self.left = 0
        self._refusals: dict[str, str] = {}
        self._begun: set[str] = set()
        self._chance = Random(seed)
        self._values = values_of(game, self._chance)
        self._presets = [preset.options for preset in game.pages.presets if preset.options]
        self._single = [{name: value} for name, values in self._values.items() for value in values]
        self._turns = [*self._presets, *self._single]

    @property
    def refused(self) -> dict[str, str]:
        """The options, in words, with which no game began, and why start() refused them."""
        return {said: why for said, why in self._refusals.items() if said not in self._begun}

    def play(self, number: int) -> None:
        """Plays one game, the first one as a new game is; presets, single values and numbers of players take turns."""
        fewest, most = self.game.rules.seats
        rounds, turn = divmod(number - 1, max(1, len(self._turns)))
        # So every turn meets every number of players.
        players = NAMES[: fewest + (rounds + turn) % (min(most, len(NAMES)) - fewest + 1)]
        chosen: dict[str, Any] = {}
        try:
            chosen, state = self._begin(number, players)
            is_looked_at = number < max(LOOKED_AT, 1 + len(self._turns))
            self._to_the_end(state, is_looked_at, LONGEST_OTHERWISE if chosen else LONGEST)
        except Fault as fault:
            self._note(fault, chosen)

    def _begin(self, number: int, players: tuple[str, ...]) -> tuple[dict[str, Any], State]:
        """The options of a game that are not those of a new game, and its first state; start() may refuse options."""
        plain, start = self.game.rules.options(), self.game.rules.start
        if number and self._turns:
            wanted = self._turns[(number - 1) % len(self._turns)]
            said = in_words(wanted)
            for chosen, seated in self._tries(wanted, players):
                try:
                    state = self._call("start", taken, start, replace(plain, **chosen), seated)
                except Fault as fault:
                    self._note(fault, chosen)
                    self._begun.add(said)
                    if chosen == wanted:
                        break
                    continue
                if not isinstance(state, IllegalEvent):
                    self._begun.add(said)
                    return chosen, state
                if chosen == wanted:
                    self._refusals.setdefault(said, str(state))
        return {}, self._call("start", start, plain, players)

    def _tries(
        self, wanted: Mapping[str, Any], players: tuple[str, ...]
    ) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
        """Options and players to begin with until start() takes them, as some options go together with others alone.

        First with others by chance, then alone, in each preset, with each value of another option; then on all seats.
        """
        bases: list[Mapping[str, Any]] = [{}, *self._presets]
        others = {other: self._chance.choice(values) for other, values in self._values.items()}
        some = {other: drawn for other, drawn in others.items() if self._chance.random() < 0.5}
        yield {**self._chance.choice(bases), **some, **wanted}, players
        for seated in dict.fromkeys((players, NAMES[: self.game.rules.seats[1]])):
            for other in ({}, *self._single):
                for base in bases:
                    yield {**base, **other, **wanted}, seated

    def draw(self) -> None:
        """Plays one game at a table, with its undo and its pages."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                self._at_a_table(Path(folder))
        except Fault as fault:
            self._note(fault, {})

    def _to_the_end(self, state: State, is_looked_at: bool, longest: int) -> None:
        rules, events, first = self.game.rules, list[Event](), state
        while not self._call("is_over", rules.is_over, state):
            if len(events) == longest < LONGEST:
                self.left += 1
                break
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
        if self._call("is_over", rules.is_over, state):
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

    def _note(self, fault: Fault, chosen: Mapping[str, Any]) -> None:
        self.faults[str(fault)] = self.faults.get(str(fault), 0) + 1
        self.first.setdefault(str(fault), in_words(chosen))


def taken(start: Callable[..., State], options: Options, players: tuple[str, ...]) -> State | IllegalEvent:
    """The first state, or why start() refuses the options."""
    try:
        return start(options, players)
    except IllegalEvent as refusal:
        return refusal


def values_of(game: AnyGame, chance: Random) -> dict[str, tuple[Any, ...]]:
    """For each option with more than one value the values to be played: all, of numbers the ends and one between."""
    plain = game.rules.options()
    found: dict[str, list[Any]] = {}
    for info in option_infos(game.rules.options):
        default = getattr(plain, info.name)
        values = [default, *(preset.options[info.name] for preset in game.pages.presets if info.name in preset.options)]
        if isinstance(default, bool):
            values += [True, False]
        elif not isinstance(default, tuple):  # Its choices are those of each part.
            values += [choice.value for choice in info.choices]
        if info.low is not None and info.high is not None:
            values += [info.low, info.high, chance.randint(info.low, info.high)]
        found[info.name] = [value for at, value in enumerate(values) if value not in values[:at]]
    return {name: tuple(values) for name, values in found.items() if len(values) > 1}


def in_words(options: Mapping[str, Any]) -> str:
    """Options as a person reads them: "goal = 9, teams = 2"."""
    return ", ".join(f"{name} = {value}" for name, value in options.items())


def state_text(state: State) -> str:
    """A state as text: what apply() was given must read the same afterwards."""
    return canonical_json(state_to_json(state))


def lines(trial: Trial) -> Iterator[str]:
    """A line for each fault, then one for the options that were refused."""
    for sentence, times in trial.faults.items():
        seen = f"in {times:,} games" if times > 1 else ""
        options = f"first with {trial.first[sentence]}" if trial.first[sentence] else ""
        yield f"{sentence} ({'; '.join(filter(None, (seen, options)))})" if seen or options else sentence
    if trial.refused:
        told = "; ".join(f"{said} ({why})" for said, why in sorted(trial.refused.items()))
        yield f"No game began with these options, as start() refuses them: {told}"
