"""`make torture`: kills the service under load with -9 again and again; nothing acknowledged may be lost or doubled.

Several houses run at once. Each has tablets that tap and send again, and presses of buttons; one has dice under its
virtual camera, too. The last line says `N kills, N lost, N twice`; the exit status is 1 when anything was wrong.
"""

import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

import click

from companion.journal.data_folder import JOURNAL
from tests.torture.house import House
from tests.torture.judge import judge_file, judge_states
from tests.torture.load import Crowd, Ledger

TABLETS = 4  # of each house
WHILE_STARTING = 0.15  # share of the kills that hit a service while it starts
ALONE = 0.1  # share of the kills that spare the service's children, which must then end by themselves
LONGEST_LIFE_S = 1.5  # under load, before the kill
LONGEST_WITH_CAMERA_S = 6.0  # a camera takes a few seconds to start
CAMERA_SHARE = 0.15  # of the kills for the house with a camera, as its lives are longer


class TorturedHouse:
    """One house that is killed again and again, with its crowd and its ledger."""

    def __init__(self, folder: Path, seed: int, *, camera: bool) -> None:
        self.ledger = Ledger()
        self.found: Counter[str] = Counter()
        self.kills = 0
        self._longest_s = LONGEST_WITH_CAMERA_S if camera else LONGEST_LIFE_S
        self._random = Random(seed)
        self._journal = folder / JOURNAL
        self._house = House(folder, "--demo", "--camera", "virtual" if camera else "none")
        self._crowd = Crowd(self._house, self.ledger, self._random, tablets=TABLETS, buttons=True, dice=camera)

    def run(self, kills: int, until_s: float) -> None:
        """Kills the house `kills` times, or until the time is over; then judges what is left."""
        with self._crowd:
            self._house.start()
            while self.kills < kills and time.monotonic() < until_s:
                self._one_life()
            self._house.wait_until_ready()
            self._judge_states()
        self._house.stop()
        self.found += judge_file(self._journal, self.ledger)

    def _one_life(self) -> None:
        chance = self._random.random()
        if chance < WHILE_STARTING:
            time.sleep(self._random.uniform(0.05, 1.5))
        else:
            self._check_state()
            time.sleep(self._random.uniform(0.0, self._longest_s))
        self.kills += 1
        is_alone = WHILE_STARTING < chance < WHILE_STARTING + ALONE
        self._house.kill_alone() if is_alone else self._house.kill()
        self.found += judge_file(self._journal, self.ledger)
        self._house.start()

    def _check_state(self) -> None:
        if not self._house.wait_until_ready():
            self.ledger.report(f"down: the service did not come up again: {self._house.complaints[-3:]}")
            self._house.start()
            return
        self._judge_states()

    def _judge_states(self) -> None:
        with self._crowd.quiet():
            try:
                self.found["broken"] += judge_states(self._house, self._crowd.sessions(), self.ledger)
            except OSError as error:
                self.ledger.report(f"down: the service does not answer: {error}")

    def complaints(self) -> list[str]:
        """The tracebacks in the service's standard error."""
        return [line for line in self._house.complaints if "Traceback" in line]


def torture(kills: int, minutes: float, houses: int, seed: int) -> tuple[int, Counter[str], list[TorturedHouse]]:
    """Kills several houses at once, `kills` times together; returns (kills, counts of what was wrong, the houses)."""
    until_s = time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        tortured = [TorturedHouse(Path(folder) / f"house-{n}", seed + n, camera=n == 0) for n in range(houses)]
        shares = shared(kills, houses)
        threads = [
            threading.Thread(target=each.run, args=(share, until_s))
            for each, share in zip(tortured, shares, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return sum(each.kills for each in tortured), sum((each.found for each in tortured), Counter()), tortured


def shared(kills: int, houses: int) -> list[int]:
    """The number of kills of each house; the first, which has a camera, gets fewer."""
    with_camera = kills if houses == 1 else round(kills * CAMERA_SHARE)
    others = max(1, houses - 1)
    rest = kills - with_camera
    return [with_camera, *(rest // others + (n < rest % others) for n in range(houses - 1))]


@click.command()
@click.option("--kills", default=200, show_default=True, help="How often a service is killed.")
@click.option("--minutes", default=11.0, show_default=True, help="Ends then, however many kills there were.")
@click.option("--houses", default=3, show_default=True, help="Services at the same time; the first has a camera.")
@click.option(
    "--seed", default=1, show_default=True, help="Of the random choices; the threads' timing is not repeatable."
)
def main(kills: int, minutes: float, houses: int, seed: int) -> None:
    """Kills the service under load and checks whether anything was lost or happened twice."""
    began_s = time.monotonic()
    done, found, tortured = torture(kills, minutes, houses, seed)
    wrong = [line for each in tortured for line in each.ledger.wrong]
    complaints = [line for each in tortured for line in each.complaints()]
    counts = sum((each.ledger.counts for each in tortured), Counter())
    for line in (*wrong[:40], *complaints[:10]):
        print(line)
    listed = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
    print(f"{time.monotonic() - began_s:.0f} s with {houses} services: {listed}")
    print(f"{found['broken']} broken chains or states, {len(wrong)} complaints, {len(complaints)} tracebacks")
    print(f"{done} kills, {found['lost']} lost, {found['twice']} twice")
    sys.exit(1 if wrong or complaints or done < kills else 0)


if __name__ == "__main__":
    main()
