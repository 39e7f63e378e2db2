"""SPEEDSTAX in the demo from end to end: a stack is built, its button slapped, the camera's verdict tapped."""

import threading
import time
from pathlib import Path

import pytest

from tests.service import Service, running

SOON_S = 60.0  # a limit, never a pause: the second camera's process has to start
CARD = 12


class Round:
    """A round of SPEEDSTAX between Ann and Bob, both ready, the card turned up, the countdown over."""

    def __init__(self, service: Service) -> None:
        self.service = service
        _, game = service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})
        self.path = f"/api/sessions/{game['id']}"
        self.players = [player["id"] for player in game["players"]]
        card = {"event": {"kind": "CardTurned", "card": CARD}, "event_id": "card", "seen_seq": 0}
        assert service.call(f"{self.path}/events", card)[0] in (200, 201)
        for button in ("seat-1", "seat-2", "start"):
            self.press(button)
        self.wait(lambda: self.current()["go_us"])
        go_us = self.current()["go_us"]
        self.wait(lambda: service.call(self.path)[1]["now_us"] > go_us)

    def current(self):
        return self.service.call(self.path)[1]["state"]["current"]

    def press(self, button):
        assert self.service.call("/table/press", {"button": button})[0] == 200
        assert self.service.call("/table/release", {"button": button})[0] == 200

    def stack(self, seat, action):
        assert self.service.call(f"/table/stacks/{seat}/{action}", {})[0] == 200

    def wait(self, condition):
        until_s, pause = time.monotonic() + SOON_S, threading.Event()
        while not (found := condition()):
            assert time.monotonic() < until_s, "it did not happen"
            pause.wait(0.1)
        return found

    def asked(self, words):
        """The question with these words, once it is asked."""
        path = f"{self.path}/proposals"
        return self.wait(lambda: next((each for each in self.service.call(path)[1] if words in each["note"]), None))

    def confirm(self, proposal):
        path = f"{self.path}/proposals/{proposal['id']}/confirm"
        return self.service.call(path, {"event_id": f"yes-{proposal['id']}"})


@pytest.fixture
def game(tmp_path: Path):
    with running(tmp_path, "--demo", "--silent") as service:
        yield Round(service)


def test_a_stack_that_stands_and_one_with_a_block_wrong_are_judged_by_the_picture(game):
    game.stack(1, "finish")
    game.press("seat-1")
    proposal = game.asked("space 1 stands and matches")
    assert proposal["event"]["kind"] == "Witnessed"
    assert proposal["picture"]
    assert game.confirm(proposal)[0] in (200, 201)
    assert game.current()["witnessed"] == [game.players[0]]

    game.stack(2, "finish")
    game.stack(2, "build-wrong")
    game.press("seat-2")
    proposal = game.asked("space 2 stands, but: level 5")
    assert proposal["event"]["kind"] == "ShoutRejected"
    ((label, instead),) = proposal["instead"]
    assert (label, instead["kind"]) == ("It stands and matches", "Witnessed")
    assert game.confirm(proposal)[0] in (200, 201)
    ((rejected, _at_us),) = game.current()["rejections"]
    assert rejected == game.players[1]
