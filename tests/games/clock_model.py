"""A clock that ticks: the same rules as docs/games/turn_clock.md in another way, to be compared with the game.

Every clock is a number that is made smaller (or larger) as time passes from one happening to the next. It shares no
code with the game, and knows nothing of its states.
"""


class Ticking:
    """Clocks of `count` seats 0, 1, …; times are microseconds."""

    def __init__(self, count, way, time, bonus=0, kind="added", zero="out", together=False, rounds=0, first=0):
        self.way, self.time, self.bonus, self.kind, self.zero = way, time, bonus, kind, zero
        self.shared, self.rounds, self.first = together or way == "round", rounds, first
        self.clock = [0 if way == "up" else time] * count
        self.used, self.longest, self.turns = [0] * count, [0] * count, [0] * count
        self.present, self.dead = [True] * count, [False] * count
        self.running = []  # seats on the turn
        self.rung = []  # seats that went below zero in this turn
        self.turn, self.wait = 0, 0  # the time of this turn, and what is left of the delay
        self.paused, self.backwards, self.won, self.now, self.round = False, False, None, 0, 1

    def inside(self):
        return [seat for seat in range(len(self.clock)) if self.present[seat] and not self.dead[seat]]

    def tick(self, at):
        """Time passes until the instant `at`."""
        passed, self.now = at - self.now, at
        if not self.running or self.paused:
            return
        self.turn += passed
        waited = min(self.wait, passed)
        self.wait -= waited
        for seat in self.running:
            self.clock[seat] += passed if self.way == "up" else waited - passed

    def next_zero(self):
        """(instant, seat) of the next time that is up, or None; seat -1 is the buzzer of a round."""
        if not self.running or self.paused or self.way == "up":
            return None
        if self.way == "round":
            return self.now + self.clock[self.running[0]], -1
        waiting = [seat for seat in self.running if seat not in self.rung]
        return min(((self.now + self.wait + self.clock[seat], seat) for seat in waiting), default=None)

    def step(self, seat):
        """The next seat that is in, by the order."""
        for _ in self.clock:
            seat = (seat + (-1 if self.backwards else 1)) % len(self.clock)
            if seat in self.inside():
                return seat
        return None

    def begin(self, seats):
        self.running, self.turn = list(seats), 0
        self.rung = [seat for seat in seats if self.clock[seat] < 0]
        self.wait = self.bonus if self.kind == "delay" else 0

    def leave(self, seat, counts):
        """The seat stops; its time is written down."""
        self.running.remove(seat)
        self.used[seat] += self.turn
        self.longest[seat] = max(self.longest[seat], self.turn)
        self.turns[seat] += counts
        if self.way == "hourglass":
            heirs, heir = [], seat
            for _ in self.clock[1:]:
                heir = (heir + 1) % len(self.clock)
                if heir in self.inside():
                    heirs.append(heir)
            for grain in range(len(heirs)):
                self.clock[heirs[grain]] += (self.turn + len(heirs) - 1 - grain) // len(heirs)

    def reward(self, seat):
        """What the seat gets after a whole turn."""
        if self.way in ("turn", "round"):
            self.clock[seat] = self.time
        elif self.kind == "added":
            self.clock[seat] += self.bonus
        elif self.kind == "given back":
            self.clock[seat] += self.turn if self.turn < self.bonus else self.bonus

    def follow(self, seat):
        if not self.shared:
            self.begin([self.step(seat)])
        elif not self.running:
            self.end_lap()

    def end_lap(self):
        if self.way != "round":
            self.begin(self.inside())
        elif self.round == self.rounds:
            self.finish(self.inside())
        else:
            self.round += 1
            self.paused = False

    def finish(self, won):
        for seat in list(self.running):
            self.leave(seat, 0)
        self.won, self.paused = list(won), False

    def gone(self, seat, was_running):
        inside = self.inside()
        if len(inside) == 0 or (len(inside) == 1 and len(self.clock) > 1):
            self.finish(inside)
        elif was_running:
            self.follow(seat)

    def up(self, at, seat):
        """The time of a seat, or of the round, is up."""
        self.tick(at)
        if seat < 0:
            for each in list(self.running):
                self.leave(each, 1)
                self.reward(each)
            self.end_lap()
        elif self.zero == "goes on":
            self.rung.append(seat)
        elif self.zero == "passes":
            self.leave(seat, 1)
            self.reward(seat)
            self.follow(seat)
        else:
            self.leave(seat, 1)
            self.clock[seat], self.dead[seat] = 0, True
            self.gone(seat, True)

    def may(self, what, seat, seconds=0):
        """Whether the rules let it happen now."""
        inside, runs = self.inside(), bool(self.running) and not self.paused
        if self.won is not None:
            return False
        if what == "start":
            return not self.running
        if what == "press":
            return runs and seat in self.running
        if what == "pause":
            return runs
        if what == "resume":
            return bool(self.running) and self.paused
        if what == "give":
            return not self.shared and bool(self.running) and seat in inside and seat not in self.running
        if what == "skip":
            return not self.shared and bool(self.running) and len(inside) > 1
        if what == "reverse":
            return not self.shared and bool(self.running)
        if what == "drop":
            return seat in inside and len(inside) > 1
        if what == "back":
            return not self.present[seat] and not self.dead[seat]
        if what == "correct":
            wanted = [seat] if self.way != "round" else self.running
            enough = all(seconds > 0 or self.clock[each] + seconds * 10**6 >= 0 for each in wanted)
            return seconds != 0 and not self.dead[seat] and bool(wanted) and enough
        return what in ("won", "drawn")

    def do(self, what, seat, seconds=0):
        """It happens now."""
        if what == "start":
            if self.way == "round":
                self.clock = [self.time for _ in self.clock]
            first = self.first if self.first in self.inside() else self.step(self.first)
            self.begin(self.inside() if self.shared else [first])
        elif what == "press":
            self.leave(seat, 1)
            self.reward(seat)
            self.follow(seat)
        elif what == "pause":
            self.paused = True
        elif what == "resume":
            self.paused = False
        elif what == "give":
            last = self.running[0]
            self.leave(last, 1)
            self.reward(last)
            self.begin([seat])
        elif what == "skip":
            last = self.running[0]  # as if the turn had never been
            self.clock[last] += -self.turn if self.way == "up" else self.turn - self.waited()
            self.begin([self.step(last)])
        elif what == "reverse":
            self.backwards = not self.backwards
        elif what == "drop":
            was_running = seat in self.running
            if was_running:
                self.leave(seat, 0)
            self.present[seat] = False
            self.gone(seat, was_running)
        elif what == "back":
            self.present[seat] = True
        elif what == "correct":
            for each in [seat] if self.way != "round" else self.running:
                self.clock[each] += seconds * 10**6
            if seat in self.rung and self.clock[seat] > 0:
                self.rung.remove(seat)
        else:
            self.finish([seat] if what == "won" else self.inside())

    def waited(self):
        """What the delay has kept from the clock in this turn."""
        return (self.bonus if self.kind == "delay" else 0) - self.wait
