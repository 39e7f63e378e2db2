"""The tables of the rehearsal: real ones, at which people play whole games by tapping."""

import http.client
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from random import Random

from companion.app.bench.rules import RandomGame, random_game
from companion.journal.codec import event_to_json
from companion.shelf import GAMES
from tests.hall.processes.test_hub import until
from tests.hall.rehearsal.markup import Element, read
from tests.hall.rehearsal.paper import Groups
from tests.hall.rehearsal.programs import TABLE
from tests.service import Service

PATIENCE_S = 30


@dataclass(frozen=True)
class Seated:
    """A game that has begun at a table: its id, and name by id of each who sits there."""

    session: str
    names: dict[str, str]


class Table:
    """A table, which is switched on and off, and dies.

    data    its folder
    data    its folder
    clock   the file that says how many seconds its clock is wrong
    """

    def __init__(self, folder: Path, name: str, game: str, chance: Random) -> None:
        self.name, self.data, self._game, self._chance = name, folder / "data", GAMES[game], chance
        folder.mkdir()
        self._clock = folder / "clock"
        self.set_clock(0)
        self._service: Service | None = None
        self._plays: dict[str, RandomGame] = {}

    @property
    def service(self) -> Service:
        assert self._service, f"{self.name} is off"
        return self._service

    def start(self, *arguments: str) -> None:
        """Switches it on; it remembers its hub."""
        program = (TABLE, str(self._clock))
        self._service = Service(self.data, "--camera", "none", *arguments, program=program)

    def stop(self) -> None:
        if self._service:
            self._service.stop()
            self._service = None

    def die(self) -> None:
        """It loses its power."""
        self.service.kill()
        self._service = None

    def set_clock(self, wrong_s: int) -> None:
        fresh = self._clock.with_suffix(".new")
        fresh.write_text(str(wrong_s))
        fresh.replace(self._clock)

    def offered(self) -> str:
        """The id of the game that its first page offers, "" for none."""
        form = self._offer()
        return form.attributes["action"].rpartition("/")[2] if form else ""

    def offers(self, *words: str) -> bool:
        """Whether its first page offers a game, and says each of these words of it."""
        form = self._offer()
        return bool(form and form.parent) and all(word in form.parent.text for word in words)

    def _offer(self) -> Element | None:
        page = read(self._read("/"))
        return next((one for one in page.all("form") if one.attributes.get("action", "").startswith("/offered/")), None)

    def begin(self, *but: str) -> Seated:
        """Somebody taps “Begin this game”, once one is offered that is none of these."""
        session = until(lambda: (one := self.offered()) and one not in but and one)
        with urllib.request.urlopen(f"{self.service.url}/offered/{session}", b"", timeout=PATIENCE_S) as answer:
            assert session in answer.url
        return self.seated(session)

    def seated(self, session: str) -> Seated:
        status, said = self.service.call(f"/api/sessions/{session}", timeout_s=PATIENCE_S)
        assert status == http.client.OK, said
        return Seated(session, {player["id"]: player["name"] for player in said["players"]})

    def play(self, seated: Seated, share: float = 1.0) -> None:
        """People play a game on, up to that share of it."""
        play = self._plays.setdefault(seated.session, self._whole_game(tuple(seated.names)))
        done = self.service.call(f"/api/sessions/{seated.session}", timeout_s=PATIENCE_S)[1]["seq"]
        for number in range(done, int(share * len(play.events))):
            body = {"event": event_to_json(play.events[number]), "event_id": f"e{number}", "seen_seq": number}
            status, said = self.service.call(f"/api/sessions/{seated.session}/events", body, PATIENCE_S)
            assert status == http.client.OK, said

    def finish(self, seated: Seated) -> Groups:
        """People play a game to its end; who took which place, by their names."""
        self.play(seated)
        ranks = self._game.rules.ranking(self._plays[seated.session].states[-1])
        return tuple(tuple(seated.names[player] for player in group) for group in ranks)

    def _whole_game(self, players: tuple[str, ...]) -> RandomGame:
        while True:
            play = random_game(self._game, self._chance.randrange(10**6), players)
            if self._game.rules.is_over(play.states[-1]):
                return play

    def games(self) -> list[str]:
        """The ids of the games that are over here."""
        status, said = self.service.call("/api/sessions", timeout_s=PATIENCE_S)
        assert status == http.client.OK, said
        return [one["id"] for one in said if one["over"]]

    def _read(self, path: str) -> str:
        with urllib.request.urlopen(self.service.url + path, timeout=PATIENCE_S) as answer:
            return answer.read().decode()
