"""The bill of materials: parts.toml, with the numbers that follow from the table's own plan."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from firmware.plan import BoxPlan, read_plan

HARDWARE = Path(__file__).parents[1]
PARTS = HARDWARE / "parts.toml"
EXAMPLE = HARDWARE.parent / "firmware/table.example.toml"
BUILDS = {
    "timer": "timer only, with buttons, lights and buzzer",
    "dice": "dice and timer, with a camera over the table as well",
    "full": "full table, with a second camera and a screen as well",
}
PRICES = {
    "€": "small change",
    "€€": "like a card game",
    "€€€": "like a large board game",
    "€€€€": "like several large board games",
}


@dataclass(frozen=True)
class Part:
    """One line of the list."""

    name: str
    ask: str
    count: int
    per: str
    builds: tuple[str, ...]
    price: str
    optional: bool = False

    def needed(self, plan: BoxPlan) -> int:
        """How many a table with this plan needs."""
        return self.count * numbers(plan)[self.per]


def numbers(plan: BoxPlan) -> dict[str, int]:
    """How many there are of what parts are counted by."""
    seats, others, status = len(plan.seats), len(plan.buttons), plan.status is not None
    return {
        "table": 1,
        "seat": seats,
        "other button": others,
        "status light": int(status),
        "led": seats + 3 * status,
        "buzzer": int(plan.buzzer is not None),
        "box": seats + 1,
    }


def parts() -> tuple[Part, ...]:
    """Every part, as parts.toml lists them."""
    listed = tomllib.loads(PARTS.read_text())["part"]
    return tuple(Part(**(each | {"builds": tuple(each["builds"])})) for each in listed)


def markdown() -> str:
    """bill-of-materials.md."""
    plan = read_plan(EXAMPLE)
    lines = [
        "# Bill of materials",
        "",
        f"For the table that [`table.example.toml`](../firmware/table.example.toml) describes: {len(plan.seats)} seats",
        f"and {len(plan.buttons)} more buttons. Three builds, each listed with everything that it needs:",
        "",
        *(f"- **{build}**: {what}" for build, what in BUILDS.items()),
        "",
        "Ask for the specification; any maker's part that meets it will do. Prices are classes, for one piece:",
        ", ".join(f"{price} {meaning}" for price, meaning in PRICES.items()) + ".",
        "Parts in brackets may be left out.",
        "",
        "Everything is 64-bit: a Pi 1, an early Pi 2, and a Zero without the 2 do not serve.",
        "",
        "| part | what to ask for | " + " | ".join(BUILDS) + " | price |",
        "| --- | --- |" + " --- |" * len(BUILDS) + " --- |",
    ]
    for part in parts():
        name = f"({part.name})" if part.optional else part.name
        counts = (str(part.needed(plan)) if build in part.builds else "" for build in BUILDS)
        lines.append(f"| {name} | {part.ask} | " + " | ".join(counts) + f" | {part.price} |")
    lines += [
        "",
        "To print: a box and a lid for each seat, the table's box and lid, a tray for the Pi, and for a camera the",
        "arm's clamp, elbow and plate ([`mounts/`](mounts), ready STL files in [`mounts/stl/`](mounts/stl)).",
        "",
        "This page is made by `make hardware` from [`parts.toml`](parts.toml).",
    ]
    return "\n".join(lines) + "\n"
