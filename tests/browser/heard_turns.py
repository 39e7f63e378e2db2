"""A turn of each game, with what somebody hears of it who sees nothing, one sentence after the other."""

from dataclasses import dataclass, field
from typing import Any

SECOND_US = 1_000_000
SIXES = [6] * 14


@dataclass(frozen=True)
class Said:
    """An event, and the beginnings of all the sentences that are heard after it, in their order."""

    event: dict[str, Any]
    heard: tuple[str, ...]


@dataclass(frozen=True)
class Turn:
    """A turn; then its last event is taken back, brought back, and corrected.

    undone, redone  what is heard then
    corrected       what the last event should have been, with what is heard
    players         names; in the events A, B and C
    """

    steps: tuple[Said, ...]
    undone: tuple[str, ...]
    redone: tuple[str, ...]
    corrected: Said
    players: tuple[str, ...] = ("Ann", "Bob")
    options: dict[str, Any] = field(default_factory=dict)


def said(*heard: str, kind: str, **values: Any) -> Said:
    return Said({"kind": kind, **values}, heard)


RACE_BEGINS = (
    said("Ann is ready.", "Who's ready? Round 1 of 5. Bob:", kind="Readied", player="A"),
    said("Bob is ready.", "Everyone's ready.", kind="Readied", player="B"),
)

TURNS = {
    "sack_stackers": Turn(
        (
            said("Rolled 3 and 5.", "Ann: Choose a gift.", kind="Rolled", dice=[3, 5]),
            said(
                "Ann took the T gift from section 3 into column 5.",
                "Roll both dice.",
                kind="Placed",
                player="A",
                gift_die=1,
                section=3,
                box="T",
                gift="T",
                column=5,
            ),
        ),
        undone=("Undone: Ann took the T gift", "Ann: Choose a gift."),
        redone=("Redone: Ann took the T gift", "Roll both dice."),
        # a coal alone in the sack: 2 points beside those of the ten circles
        corrected=said(
            "Corrected: Ann placed no gift, coal into column 1.",
            "Score: Ann 12",
            kind="Unplaced",
            player="A",
            coal=[{"column": 1}],
        ),
        players=("Ann",),
        options={"voluntary_coal": True},
    ),
    "pack_and_stack": Turn(
        (
            said("Ann is the youngest", "Ann rolls all five dice.", kind="StarterNamed", starter="A"),
            said(
                "Ann rolled 1 of size 1.", "Bob rolls all five dice.", kind="Rolled", player="A", dice=[1, 0, 0, 0, 0]
            ),
            said(
                "Bob rolled 1 of size 1, 1 of size 2.",
                "Cy rolls all five dice.",
                kind="Rolled",
                player="B",
                dice=[1, 1, 0, 0, 0],
            ),
            said("Cy rolled 2 of size 1.", "Grab a truck!", kind="Rolled", player="C", dice=[2, 0, 0, 0, 0]),
            said("Ann took truck 1 in front of Bob.", "Grab a truck!", kind="Taken", player="A", card=1, owner="B"),
            said(
                "Bob took truck 2 in front of Cy.",
                "Cy draws the top card.",
                kind="Taken",
                player="B",
                card=2,
                owner="C",
            ),
            said("Cy took truck 3 from the draw pile.", "Ann, load your truck.", kind="Taken", player="C", card=3),
            # 9 squares, 1 high: 8 of them empty
            said(
                "Ann loaded everything and lost 8 points.",
                "Score: Ann 92",
                "Bob, load your truck.",
                kind="Loaded",
                player="A",
                unloaded=[0, 0, 0, 0, 0],
            ),
        ),
        undone=("Undone: Ann loaded everything", "Score: Ann 100", "Ann, load your truck."),
        redone=("Redone: Ann loaded everything", "Score: Ann 92", "Bob, load your truck."),
        # 9 empty spaces, and 2 for the box of 1
        corrected=said(
            "Corrected: Ann loaded all but ", "Score: Ann 89", kind="Loaded", player="A", unloaded=[1, 0, 0, 0, 0]
        ),
        players=("Ann", "Bob", "Cy"),
        options={"start_points": 100},
    ),
    "samestax": Turn(
        (
            said("Ann is the first Creator.", "Round 1 of 4: Ann builds.", kind="CreatorChosen", creator="A"),
            said(
                "Round 1 of 4: building started.", "Score: Ann 1", "Round 1 of 4: Ann builds.", kind="Started", at_us=0
            ),
            said(
                "Ann finished building after 30.0\u00a0s.",
                "Who's ready?",
                kind="Shouted",
                player="A",
                at_us=33 * SECOND_US,
            ),
            said("Bob is ready.", "Round 1 of 4: everyone's ready.", kind="Readied", player="B"),
            said(
                "Round 1 of 4: copying started.",
                "Round 1 of 4: copy Ann's stack.",
                kind="Started",
                at_us=100 * SECOND_US,
            ),
            said(
                "Bob: MAX STAX after 17.0\u00a0s.",
                "Score: Ann 0, Bob 1",
                "Round 1 of 4 is over.",
                kind="Shouted",
                player="B",
                at_us=120 * SECOND_US,
            ),
        ),
        undone=("Undone: Bob: MAX STAX", "Score: Ann 1, Bob 0", "Round 1 of 4: copy Ann's stack."),
        redone=("Redone: Bob: MAX STAX", "Score: Ann 0, Bob 1", "Round 1 of 4 is over."),
        corrected=said(
            "Corrected: Bob's stack fell.", "Score: Ann 1, Bob 0", "Round 1 of 4: copy", kind="Collapsed", player="B"
        ),
    ),
    "sandpile_panic": Turn(
        (
            said(
                "Ann placed white on row 1 column 1.",
                "Score: Ann 1",
                "Bob, switch sides? You'd",
                kind="Placed",
                player="A",
                at="r1c1",
            ),
            said("Bob stayed black.", "Bob places black.", kind="Left", player="B"),
            said(
                "Bob placed black on row 2 column 2.",
                "Score: Bob 1",
                "Ann places white.",
                kind="Placed",
                player="B",
                at="r2c2",
            ),
        ),
        undone=("Undone: Bob placed black", "Score: Bob 0", "Bob places black."),
        redone=("Redone: Bob placed black", "Score: Bob 1", "Ann places white."),
        corrected=said("Corrected: Bob placed black on row 4 column 4.", kind="Placed", player="B", at="r4c4"),
        options={"board_size": 4},
    ),
    "score_pad": Turn(
        (
            said(
                "Ann wrote 12 in round 1.",
                "Score: Ann 12",
                "Round 1. Missing: Bob",
                kind="Wrote",
                player="A",
                row=1,
                points=12,
            ),
            said("Bob wrote 7 in round 1.", "Score: Bob 7", "Round 2", kind="Wrote", player="B", row=1, points=7),
        ),
        undone=("Undone: Bob wrote 7", "Score: Bob 0", "Round 1"),
        redone=("Redone: Bob wrote 7", "Score: Bob 7", "Round 2"),
        corrected=said(
            "Corrected: Bob wrote −7 in round 1.", "Score: Bob −7", kind="Wrote", player="B", row=1, points=-7
        ),
    ),
    "turn_clock": Turn(
        (
            said("The clock started.", "Ann thinks", kind="Started", at_us=0),
            said("Ann pressed after 9.0\u00a0s.", "Bob thinks", kind="Passed", player="A", at_us=9 * SECOND_US),
        ),
        undone=("Undone: Ann pressed", "Ann thinks"),
        redone=("Redone: Ann pressed", "Bob thinks"),
        corrected=said("Corrected: The clock was paused.", "Paused.", kind="Paused", at_us=10 * SECOND_US),
    ),
    "dice_tray": Turn(
        (
            said(
                "Ann rolled 6 and 4.",
                "Score: Ann 10",
                "Bob rolls",
                kind="Rolled",
                player="A",
                dice=[{"value": 6}, {"value": 4}],
            ),
            said(
                "Bob rolled 5 (red) and 2.",
                "Score: Bob 7",
                "Ann rolls",
                kind="Rolled",
                player="B",
                dice=[{"value": 5, "colour": "red"}, {"value": 2}],
            ),
        ),
        undone=("Undone: Bob rolled 5 (red) and 2", "Score: Bob 0", "Bob rolls"),
        redone=("Redone: Bob rolled 5 (red) and 2", "Score: Bob 7", "Ann rolls"),
        corrected=said("Corrected: Bob rolled 3.", "Score: Bob 3", kind="Rolled", player="B", dice=[{"value": 3}]),
    ),
    "speedstax": Turn(
        (
            said("Ann is the Shuffler.", "Ann, turn up a card.", kind="ShufflerNamed", shuffler="A"),
            said("Card 3 turned up.", "Who's ready?", kind="CardTurned", card=3),
            *RACE_BEGINS,
            said("Round 1 of 5 started.", "Build what the card shows.", kind="Started", at_us=0),
            said("Ann: MAX STAX after 17.0\u00a0s.", "Score: Ann 2", kind="Shouted", player="A", at_us=20 * SECOND_US),
            said(
                "Bob: MAX STAX after 27.0\u00a0s.",
                "Score: Bob 1",
                "Round 1 of 5 is over.",
                kind="Shouted",
                player="B",
                at_us=30 * SECOND_US,
            ),
        ),
        undone=("Undone: Bob: MAX STAX", "Score: Bob 0", "Build what the card shows."),
        redone=("Redone: Bob: MAX STAX", "Score: Bob 1", "Round 1 of 5 is over."),
        corrected=said("Corrected: Bob's stack fell.", "Score: Bob 0", "Build what", kind="Collapsed", player="B"),
    ),
    "stack_dice": Turn(
        (
            said(
                "Ann starts (6 beats 2).",
                "Drop all 14 dice. Ann begins.",
                kind="StartRolled",
                rolls=[["A", 6], ["B", 2]],
            ),
            said(
                "Ann dropped the dice: 6 6 6",
                "Drop all 14 dice. Waiting for Bob",
                kind="Dropped",
                player="A",
                values=SIXES,
            ),
            said("Bob dropped the dice: 6 6 6", "Ann's turn.", kind="Dropped", player="B", values=SIXES),
            said(
                "Ann put the red 6 on the blue 6.",
                "Score: Ann 6",
                "Bob's turn.",
                kind="Stacked",
                player="A",
                die="A-6n",
                onto="B-6a",
            ),
        ),
        undone=("Undone: Ann put the red 6", "Score: Ann 0", "Ann's turn."),
        redone=("Redone: Ann put the red 6", "Score: Ann 6", "Bob's turn."),
        corrected=said("Corrected: Ann ", "Score: Ann 0", kind="Rolled", player="A", die="A-6n", value=2),
    ),
    "swapstax": Turn(
        (
            said("Ann is the Shuffler.", "Ann draws.", kind="ShufflerNamed", shuffler="A"),
            said("Ann drew card 40.", "Bob draws.", kind="Drew", player="A", card=40),
            said("Bob drew card 1.", "Ann: swap or pass.", kind="Drew", player="B", card=1),
            said("Ann swapped cards with Bob.", "Bob: swap or pass.", kind="SwappedWithPlayer", player="A", other="B"),
            said("Bob passed.", "Ann: swap or pass.", kind="Passed", player="B"),
            said("Ann passed.", "Who's ready?", kind="Passed", player="A"),
            *RACE_BEGINS,
            said("Round 1 of 5 started.", "Build your card's stack.", kind="Started", at_us=0),
            said("Ann: MAX STAX after 17.0\u00a0s.", "Score: Ann 1", kind="Shouted", player="A", at_us=20 * SECOND_US),
        ),
        undone=("Undone: Ann: MAX STAX", "Score: Ann 0"),
        redone=("Redone: Ann: MAX STAX", "Score: Ann 1"),
        corrected=said("Corrected: Bob's stack fell.", "Score: Ann 0", kind="Collapsed", player="B"),
    ),
}
