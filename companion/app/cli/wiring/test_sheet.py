"""A page to print and to tick off at the table: what to press, what lights and sounds then. Made from the plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from companion.app.cli.wiring.drawing import FAINT, INK, line, words
from companion.game.box import Phase
from companion.house.box_test import AT_REST, PHASES
from companion.printing.sheets import Drawing
from firmware.plan import BoxPlan, BuzzerKind
from firmware.signs import COLOURS, Signs, load_signs

WIDTH_MM, HEIGHT_MM = 190.0, 262.0
ROW_MM = 10.5
LOW_HZ = 500  # The sheet calls a lower tone low.


class Answer(Enum):
    """What somebody has seen at a step."""

    YES = "yes"
    NO = "no"
    NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Step:
    """One line of the sheet."""

    act: str
    expect: str


BEFORE = (
    Step("Power off. Measure from position 2 of the header to every GPIO in use", "No connection from 5 V to a pin"),
    Step("Measure from positions 1 and 2 to position 6", "No connection from 3.3 V or 5 V to ground"),
    Step("Switch on; run companion doctor", "The line pins is green"),
)


CAMERA = Step("Look at the camera's picture on that page", "The whole table, bright and sharp")


def steps(plan: BoxPlan, has_camera: bool = False) -> Iterator[Step]:
    """The steps with the page "Set up the table" open at its buttons, and what the box should do."""
    signs = load_signs()
    yield from BEFORE
    yield Step("Open the page /wizard and do nothing", rest_signs(plan, signs))
    for seat in range(1, len(plan.seats) + 1):
        yield Step(
            f"Hold the button of seat {seat}", f"The LED of seat {seat} and no other; the page lights seat {seat}"
        )
    for device, _ in plan.buttons:
        answers = "; ".join((*signs_of(plan, signs, PHASES[device]), f"the page lights {device}"))
        yield Step(f"Hold the {device} button", answers[0].upper() + answers[1:])
    yield Step("Hold the buttons of seats 1 and 2 together", "Both LEDs")
    yield Step("Slap the button of seat 1 ten times, hard", "The page counts 10")
    yield Step("Shake every plug and wire a little", "Nothing lights, and the page counts nothing")
    if has_camera:
        yield CAMERA
    yield Step("Stop the companion", "All dark and silent")


def rest_signs(plan: BoxPlan, signs: Signs) -> str:
    status = f"; the status light is {colour(signs, AT_REST)}" if plan.status is not None else ""
    return f"All seats dark{status}" + ("; silent" if plan.buzzer is not None else "")


def signs_of(plan: BoxPlan, signs: Signs, phase: Phase) -> Iterator[str]:
    """The status light and the buzzer in a phase, in words."""
    if plan.status is not None:
        blinks = "" if signs.lights[signs.phases[phase].light].is_steady else ", blinking"
        yield f"the status light is {colour(signs, phase)}{blinks}"
    tune = signs.phases[phase].tune
    if plan.buzzer is not None and tune and not plan.silent:
        pitch = "low" if all(note.hz < LOW_HZ for note in tune) else "high"
        tone = f"a {pitch} tone" if len(tune) == 1 else "a tune"
        yield "a beep" if plan.buzzer.kind is BuzzerKind.ACTIVE else tone


def colour(signs: Signs, phase: Phase) -> str:
    """The status light's colour in words."""
    return next(name for name, lamps in COLOURS.items() if lamps == signs.phases[phase].status)


MARKS = {Answer.YES: "M1.8 0 l1.2 1.4 l2 -3", Answer.NO: "M1.8 -1.4 l2.8 2.8 m0 -2.8 l-2.8 2.8", Answer.NOT_TRIED: ""}


def drawing(plan: BoxPlan, all_steps: Sequence[Step] = (), answers: Sequence[Answer] = (), tested: str = "") -> Drawing:
    """The sheet, as large as a page: to be ticked off by hand, or with the answers of a test and its day."""
    all_steps = all_steps or list(steps(plan))
    row_mm = min(ROW_MM, (HEIGHT_MM - 42) / len(all_steps))
    parts = [
        words(0, 7, "Test sheet of the button box", 6.5, weight="bold"),
        words(0, 13.5, "Tick each line. Where one fails: companion wiring draws which pin it hangs on.", 3.4, FAINT),
        words(10, 22, "Do this", 3.6, weight="bold"),
        words(98, 22, "This happens", 3.6, weight="bold"),
    ]
    for number, step in enumerate(all_steps):
        top = 24 + number * row_mm
        parts += [
            line(0, top, WIDTH_MM, top, FAINT, 0.15),
            f'<rect x="1" y="{top + row_mm / 2 - 2.2:.2f}" width="4.4" height="4.4" fill="#ffffff" stroke="{INK}"'
            ' stroke-width="0.35"/>',
            *(
                f'<path transform="translate(0 {top + row_mm / 2:.2f})" d="{MARKS[answer]}" fill="none" stroke="{INK}"'
                ' stroke-width="0.6"/>'
                for answer in answers[number : number + 1]
            ),
            words(10, top + row_mm / 2 + 1.2, step.act, 3.2),
            words(98, top + row_mm / 2 + 1.2, step.expect, 3.2),
        ]
    foot = 24 + len(all_steps) * row_mm
    parts.append(line(0, foot, WIDTH_MM, foot, FAINT, 0.15))
    for x_mm, label, long_mm in ((0, "Table", 45), (62, "Tested by", 50), (134, "Date", 45)):
        parts.append(words(x_mm, HEIGHT_MM - 3, label, 3.4))
        parts.append(line(x_mm + 2 * len(label), HEIGHT_MM - 3, x_mm + long_mm, HEIGHT_MM - 3, INK, 0.2))
    if tested:
        parts.append(words(146, HEIGHT_MM - 3.6, tested, 3.4))
    return Drawing("Test sheet of the button box", "".join(parts), WIDTH_MM, HEIGHT_MM)
