"""The lamp on mock pins, opened by the box as `table.example.toml` says."""

from pathlib import Path

from companion.clock import Clock
from companion.game.box import BoxLook, Phase
from firmware.box import open_box

EXAMPLE = Path(__file__).parents[2] / "firmware" / "table.example.toml"


def test_the_lamp_is_lit_while_a_round_runs():
    with open_box(EXAMPLE, True, Clock(), lambda _signal: None) as box:
        lamp = box._factory.pin(26)
        for phase, lit in ((Phase.RUNNING, True), (Phase.PAUSED, False)):
            box.show(BoxLook(phase, ()))
            box._show.perform(0)
            assert bool(lamp.state) is lit
