"""The pads that come along. Each is plain data, as a host's own is: options by name (PAD-60)."""

from companion.game.options import Preset
from companion.games.score_pad.options import Kind
from companion.words import N_

UPPER = (
    "Ones: sum of 1",
    "Twos: sum of 2",
    "Threes: sum of 3",
    "Fours: sum of 4",
    "Fives: sum of 5",
    "Sixes: sum of 6",
)
THIRTEEN = (
    *UPPER, "Bonus: bonus 35 from 63", "Upper part: sum",
    "Three alike: 3 alike = all", "Four alike: 4 alike = all", "Full house: 3+2 alike = 25",
    "Run of four: run of 4 = 30", "Run of five: run of 5 = 40", "Five alike: 5 alike = 50", "Chance: all dice",
)  # fmt: skip
FIFTEEN = (
    *UPPER, "Bonus: bonus 50 from 63", "Upper part: sum",
    "Pair: 2 alike = those", "Two pairs: 2+2 alike = those", "Three alike: 3 alike = those",
    "Four alike: 4 alike = those", "Low run: run 1-5 = 15", "High run: run 2-6 = 20",
    "Full house: 3+2 alike = all", "Chance: all dice", "Five alike: 5 alike = 50",
)  # fmt: skip
TWELVE = (
    *UPPER, "Full house: 3+2 alike = all", "Four alike: 4 alike = those",
    "Low run: run 1-5 = 30", "High run: run 2-6 = 30", "Chance: all dice", "Five alike: 5 alike = 50",
)  # fmt: skip

PRESETS = (
    Preset("printed", N_("Plain pad"), N_("Points round by round. The most win. Close it when you like.")),
    Preset(
        "count",
        N_("Point by point"),
        N_("One tap a point. Whoever has 21 first wins."),
        {"kind": Kind.RUNNING, "target": 21, "steps": (1, 2, 3), "negative": False},
    ),
    Preset(
        "low",
        N_("Few points win"),
        N_("Cards left in your hand count against you. At 100 it's over, and the fewest win. The deal moves on."),
        {"target": 100, "lowest": True, "dealer": True, "negative": False},
    ),
    Preset(
        "ten_rounds",
        N_("Ten rounds"),
        N_("Ten rounds with a dealer who moves on. Points may be taken away. The most win."),
        {"rounds": 10, "dealer": True},
    ),
    Preset(
        "thirteen",
        N_("Five dice, thirteen rows"),
        N_("Three rolls a turn. Ones to sixes with a bonus of 35, then alike, house, runs and chance."),
        {"kind": Kind.ROWS, "rows": THIRTEEN, "negative": False},
    ),
    Preset(
        "fifteen",
        N_("Five dice, fifteen rows"),
        N_("The same with a pair and two pairs. Only the dice of a pattern count, and the bonus is 50."),
        {"kind": Kind.ROWS, "rows": FIFTEEN, "negative": False},
    ),
    Preset(
        "twelve",
        N_("Five dice, twelve rows"),
        N_("The oldest of these: no bonus, two runs of 30, and a house counts its dice."),
        {"kind": Kind.ROWS, "rows": TWELVE, "negative": False},
    ),
)
