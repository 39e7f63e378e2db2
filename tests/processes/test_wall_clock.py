"""A real service whose wall clock is months behind, as on a board without a battery, and is put right during a game."""

import json
import urllib.error
import urllib.request

import pytest

from tests.service import running

DAY_S = 86_400
# The service with a wall clock that is as many seconds wrong as a file says, read at each look.
WITH_WRONG_CLOCK = """
import runpy, sys, time
from pathlib import Path

wrong, real_ns, real_s = Path(sys.argv.pop(1)), time.time_ns, time.time
time.time_ns = lambda: real_ns() + int(wrong.read_text()) * 1_000_000_000
time.time = lambda: real_s() + int(wrong.read_text())
runpy.run_module("companion", run_name="__main__", alter_sys=True)
"""
GUEST = {"X-Forwarded-For": "192.168.1.20"}  # whoever comes through a proxy is no host


class WrongClock:
    """The clock of a service, and the program that looks at it."""

    def __init__(self, folder):
        script, self._wrong = folder / "with_wrong_clock.py", folder / "wrong"
        script.write_text(WITH_WRONG_CLOCK)
        self.program = (str(script), str(self._wrong))

    def is_wrong_by(self, days):
        fresh = self._wrong.with_suffix(".new")
        fresh.write_text(str(days * DAY_S))
        fresh.replace(self._wrong)  # so that nobody reads half of it


def status_of(service, path):
    """The status of the page where a guest's browser ends up, which keeps its ticket on the way."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with browser.open(urllib.request.Request(service.url + path, headers=GUEST), timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code


def plays(service, game, token, number):
    """The status of a roll and its undo, tapped by a guest."""
    headers = {**GUEST, "Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    seq = service.call(f"/api/sessions/{game}")[1]["seq"]
    bodies = {
        "events": {"event": {"kind": "Rolled", "dice": [1, 4]}, "event_id": f"r{number}", "seen_seq": seq},
        "undo": {"event_id": f"u{number}", "seen_seq": seq + 1},
    }
    found = []
    for what, body in bodies.items():
        request = urllib.request.Request(
            f"{service.url}/api/sessions/{game}/{what}", json.dumps(body).encode(), headers
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                found.append(answer.status)
        except urllib.error.HTTPError as refusal:
            found.append(refusal.code)
    return found


@pytest.mark.parametrize("days", [-70, 400])
def test_a_clock_that_is_put_right_during_a_game_shows_nobody_out(tmp_path, days):
    clock = WrongClock(tmp_path)
    clock.is_wrong_by(days)
    data = tmp_path / "house"
    with running(data, "--camera", "none", program=clock.program) as service:
        game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]
        token = service.new_token("player")
        assert plays(service, game, token, 1) == [200, 200]
        clock.is_wrong_by(0)  # the network's time has come
        assert plays(service, game, token, 2) == [200, 200]
        assert status_of(service, f"/join/{token}") == 200
        fresh = service.new_token("player")
        clock.is_wrong_by(days)  # back for a moment
        assert [plays(service, game, each, number) for number, each in enumerate((token, fresh), 3)] == 2 * [[200, 200]]
        clock.is_wrong_by(0)
        assert plays(service, game, fresh, 5) == [200, 200]
    with running(data, "--camera", "none", program=clock.program) as service:  # the next day
        assert plays(service, game, token, 6) == [200, 200]
        assert plays(service, game, fresh, 7) == [200, 200]
        assert service.call(f"/api/sessions/{game}")[1]["seq"] == 14
