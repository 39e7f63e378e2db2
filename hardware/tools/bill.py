"""The bill of materials: parts.toml, with the numbers that follow from the circuit of the table's own plan."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.app.cli.wiring.circuit import circuit
from firmware.plan import BoxPlan, read_plan

HARDWARE = Path(__file__).parents[1]
PARTS = HARDWARE / "parts.toml"
EXAMPLE = HARDWARE.parent / "firmware/table.example.toml"
BUILDS = {
    "scoreboard": "the Pi alone: tablets, phones and a television show the games, dice are tapped in",
    "camera": "a camera over the table reads the dice",
    "box": "buttons, lights and a buzzer for four",
    "all": "camera and box, a second camera for stacks, a screen of its own",
}
RECKONED = "November 2026"


@dataclass(frozen=True)
class Part:
    """One line of the list.

    euro        least and greatest price of one, reckoned
    without     what does in its place, "" where it is needed
    """

    name: str
    ask: str
    count: int
    per: str
    builds: tuple[str, ...]
    euro: tuple[float, float]
    order: str = ""
    without: str = ""

    def needed(self, plan: BoxPlan) -> int:
        """How many a table with this plan needs."""
        return self.count * numbers(plan)[self.per]


def numbers(plan: BoxPlan) -> Mapping[str, int]:
    """How many there are of what parts are counted by."""
    kinds = Counter(str(part.kind) for part in circuit(plan))
    kinds.update({"table": 1, "box": len(plan.seats) + kinds["table plug"]})
    return kinds


def parts() -> tuple[Part, ...]:
    """Every part, as parts.toml lists them."""
    listed = tomllib.loads(PARTS.read_text())["part"]
    return tuple(Part(**(each | {"builds": tuple(each["builds"]), "euro": tuple(each["euro"])})) for each in listed)


def total(build: str, plan: BoxPlan, *, lean: bool) -> tuple[float, float]:
    """The least and the greatest sum in euro; `lean`: without what may be left out."""
    chosen = [part for part in parts() if build in part.builds and not (lean and part.without)]
    least, most = (sum(part.euro[end] * part.needed(plan) for part in chosen) for end in (0, 1))
    return least, most


def rounded(euro: tuple[float, float]) -> str:
    """A range in words, to the next five euro."""
    return " to ".join(f"{5 * round(end / 5)}" for end in euro)


def markdown() -> str:
    """bill-of-materials.md."""
    plan = read_plan(EXAMPLE)
    lines = [
        "# Bill of materials",
        "",
        "Four builds, each with everything that it needs. The box is that of its",
        f"[pins](../firmware/table.example.toml): {len(plan.seats)} seats and {len(plan.buttons)} more buttons.",
        f"Sums are in euro, with tax, **reckoned in {RECKONED}** from what such parts usually cost; no",
        "shop was asked. Postage, tools and tablets come on top.",
        "",
        "| build | what it is | without what may be left out | with all |",
        "| --- | --- | --- | --- |",
    ]
    for build, what in BUILDS.items():
        sums = (rounded(total(build, plan, lean=lean)) for lean in (True, False))
        lines.append(f"| **{build}** | {what} | {' | '.join(sums)} |")
    lines += [
        "",
        "Any maker's part that meets the specification will do. Parts in brackets may be left out; what does in their",
        "place stands beside them. Everything is 64-bit: a Pi 1, an early Pi 2, and a Zero without the 2 do not serve.",
        "",
        "| part | what to ask for | order number | " + " | ".join(BUILDS) + " | one, euro |",
        "| --- | --- | --- |" + " --- |" * len(BUILDS) + " --- |",
    ]
    for part in parts():
        name = f"({part.name})" if part.without else part.name
        ask = f"{part.ask}. Without it: {part.without}" if part.without else part.ask
        counts = (str(part.needed(plan)) if build in part.builds else "" for build in BUILDS)
        least, most = (f"{end:g}" for end in part.euro)
        lines.append(f"| {name} | {ask} | {part.order} | {' | '.join(counts)} | {least} to {most} |")
    lines += [
        "",
        "To print: a box and a lid for each seat, the table's box and lid, a tray for the Pi, and for a camera the",
        "arm's clamp, elbow and plate ([`mounts/`](mounts), ready STL files in [`mounts/stl/`](mounts/stl)).",
        "",
        "This page is made by `make hardware` from [`parts.toml`](parts.toml).",
    ]
    return "\n".join(lines) + "\n"
