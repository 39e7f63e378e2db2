"""Signs: the light and the tune of each phase of a game (`signs.toml`), as pure functions of table time."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.box import Light, Phase

SIGNS_FILE = Path(__file__).with_name("signs.toml")

COLOURS = {
    "black": (False, False, False),
    "red": (True, False, False),
    "green": (False, True, False),
    "blue": (False, False, True),
    "yellow": (True, True, False),
    "cyan": (False, True, True),
    "magenta": (True, False, True),
    "white": (True, True, True),
}


@dataclass(frozen=True)
class Blink:
    """Lit for the first `lit_ms` of every `period_ms`."""

    period_ms: int
    lit_ms: int

    @property
    def is_steady(self) -> bool:
        return self.lit_ms in (0, self.period_ms)


@dataclass(frozen=True)
class Note:
    """A tone, or a pause when `hz` is 0."""

    hz: int
    ms: int


@dataclass(frozen=True)
class PhaseSign:
    """The sign of a phase: the status light's colour and blinking, and a tune."""

    status: tuple[bool, bool, bool]
    light: Light
    tune: tuple[Note, ...] = ()
    repeat_ms: int | None = None


@dataclass(frozen=True)
class Signs:
    """The signs of all lights and phases, and the tune by which the hall's staff ring."""

    lights: Mapping[Light, Blink]
    phases: Mapping[Phase, PhaseSign]
    chime: tuple[Note, ...]


def is_lit(blink: Blink, now_us: int) -> bool:
    """Whether a light with this blinking is lit at table time `now_us`."""
    return now_us % (blink.period_ms * 1_000) < blink.lit_ms * 1_000


def next_blink_us(blink: Blink, now_us: int) -> int | None:
    """The table time at which a light with this blinking changes next, or None for never."""
    if blink.is_steady:
        return None
    period_us, lit_us = blink.period_ms * 1_000, blink.lit_ms * 1_000
    began_us = now_us - now_us % period_us
    return began_us + (lit_us if now_us - began_us < lit_us else period_us)


def tone_at(sign: PhaseSign, entered_us: int, now_us: int) -> tuple[int | None, int | None]:
    """(pitch in hertz or None, time of the next change or None) in a phase that was entered at `entered_us`."""
    passed_us = max(0, now_us - entered_us)
    began_us = entered_us
    if sign.repeat_ms is not None:
        began_us += passed_us - passed_us % (sign.repeat_ms * 1_000)
    if note := chime_at(sign.tune, began_us, max(now_us, entered_us)):
        return note
    return None, None if sign.repeat_ms is None else began_us + sign.repeat_ms * 1_000


def chime_at(tune: tuple[Note, ...], rung_us: int, now_us: int) -> tuple[int | None, int] | None:
    """(pitch in hertz or None, time of the next change) while a tune that began at `rung_us` lasts; None after it."""
    end_us = rung_us
    for note in tune:
        end_us += note.ms * 1_000
        if max(now_us, rung_us) < end_us:
            return note.hz or None, end_us
    return None


def load_signs() -> Signs:
    """The signs that come with the firmware."""
    return signs_from(tomllib.loads(SIGNS_FILE.read_text()))


def signs_from(data: dict[str, Any]) -> Signs:
    """Signs from the tables of a TOML file; raises ValueError or KeyError if something is missing or wrong."""
    return Signs(
        lights={light: check_blink(Blink(**data["lights"][light])) for light in Light},
        phases={phase: phase_sign(data["phases"][phase]) for phase in Phase},
        chime=tune_of(data["chime"]),
    )


def check_blink(blink: Blink) -> Blink:
    """`blink`; raises ValueError if it cannot be shown."""
    if not 0 <= blink.lit_ms <= blink.period_ms or blink.period_ms <= 0:
        raise ValueError(f"{blink} is lit for longer than it lasts")
    return blink


def phase_sign(data: dict[str, Any]) -> PhaseSign:
    """The sign of one phase; raises ValueError if its tune is longer than its repeat."""
    tune = tune_of(data)
    repeat_ms = data.get("repeat_ms")
    if repeat_ms is not None and sum(note.ms for note in tune) > repeat_ms:
        raise ValueError(f"a tune of {sum(note.ms for note in tune)} ms cannot come again after {repeat_ms} ms")
    return PhaseSign(COLOURS[data["status"]], Light(data["light"]), tune, repeat_ms)


def tune_of(data: dict[str, Any]) -> tuple[Note, ...]:
    """The tune of a table of the file, () for none."""
    return tuple(Note(hz, ms) for hz, ms in data.get("tune", []))
