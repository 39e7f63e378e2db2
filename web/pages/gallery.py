"""Samples for the gallery: every widget in a few states. Nothing here belongs to a game."""

from dataclasses import dataclass, replace

from companion.game.charts import Bar, Bars, Curve, Curves, Figures, PhotoFinish, Picture, Pictures, Press, Shape
from companion.game.widgets import (
    AnyWidget,
    Cell,
    Choice,
    Clock,
    Consult,
    DiceRow,
    Face,
    Grid,
    Headline,
    Notice,
    NumberEntry,
    PictureChoice,
    PictureTap,
    ScoreLine,
    ScoreTable,
    SeatCard,
    Seats,
    Stack,
    Stacks,
    Standings,
    Tap,
    TextEntry,
    Tone,
    Track,
    Variant,
    Variants,
)
from companion.house.symbols import seat_mark


@dataclass(frozen=True)
class Sampled:
    """An event that belongs to no game."""

    number: int = 0


THIS: Tap[Sampled] = Tap("This", draft={"a": "1"}, chosen=True)
THAT: Tap[Sampled] = Tap("That", draft={"a": "2"})
FACES: tuple[Tap[Sampled], ...] = tuple(Tap(str(n), draft={"n": str(n)}, chosen=n == 4) for n in range(1, 7))
FELL = Tap("It fell", event=Sampled(), tone=Tone.DIM)
COLOURS = ("white", "red", "yellow", "orange", "green", "blue", "purple", "black", "grey")
GO = Tap("Take it", event=Sampled(), tone=Tone.PRIMARY)
REFUSED = Tap("Take two", event=Sampled(), refused="Only one is left: take that.")
PARTS = (("Three groups", 30, "AB-12"), ("Circles left", 7, "AB-13"))
LINES = (
    ScoreLine("p1", "Ada", 37, PARTS, "chooses", active=True),
    ScoreLine("p2", "Grace", 41, PARTS, "done", winner=True),
    ScoreLine("p3", "A name of forty characters, every one", 8, PARTS),
)
BOARD: tuple[tuple[Cell[Sampled], ...], ...] = tuple(
    tuple(
        Cell(str(1 + (row + column) % 6), COLOURS[(row * 6 + column) % len(COLOURS)], mark)
        for column, mark in enumerate(("", "new", "group", "crossed", "", ""))
    )
    for row in range(3)
)
ARCH = (Shape(0, 15, 15, 45, 1), Shape(30, 15, 15, 45, 2), Shape(0, 0, 45, 15, 3))
TEE = Picture(
    "T",
    "T",
    4,
    3,
    tuple(Shape(left, top, 1, 1, 0) for left, top in ((0, 1), (1, 1), (2, 1), (1, 0))),
    colour="purple",
    stands=False,
)
TARGETS = (
    (*(Cell("", "", "target", Tap(f"Column {column}", event=Sampled(column))) for column in range(1, 6)), Cell()),
)

COURSE = (
    Curve("p1", "Ada", (10, 10, 13, 13, 21, 24, 24, 37)),
    Curve("p2", "Grace", (10, 12, 12, 18, 18, 26, 40, 41)),
    Curve("p3", "A name of forty characters, every one", (10, 9, 9, 8, 8, 8, 8, 8)),
)
MARKS = {"p1": seat_mark(1), "p2": replace(seat_mark(2), face="owl"), "p3": seat_mark(3), "p4": seat_mark(4)}


def pictured(number: int) -> PictureTap[Sampled]:
    """A numbered card to choose; every fifth cannot be the one."""
    picture = Picture("", "An arch", 88, 77, ARCH, number=str(number), mark="★★")
    refused = "" if number % 5 else "This card lies on the table."
    return PictureTap(picture, Tap(f"Card {number}: an arch", event=Sampled(number), refused=refused))


SAMPLES: tuple[tuple[str, tuple[AnyWidget, ...]], ...] = (
    ("Notice", tuple(Notice(f"A sentence for everybody, {tone}.", tone) for tone in Tone)),
    (
        "Headline",
        (
            Headline("Ada's turn", "Choose a die, then a column.", Tone.PRIMARY),
            Headline("Round 3 of 5", "Turn up a card."),
            Headline("Time is up", "Look at the stacks.", Tone.WARN),
        ),
    ),
    (
        "DiceRow",
        (
            DiceRow("Rolled for everyone", (Face(3), Face(5, note="altered to 6"), Face(None))),
            DiceRow("All colours", tuple(Face(1 + index % 6, colour) for index, colour in enumerate(COLOURS))),
            DiceRow("Dice to tap", (Face(2, "red", tap=GO), Face(6, "blue", tap=Tap("Blue 6", draft={"die": "2"})))),
        ),
    ),
    (
        "Stacks",
        (
            Stacks(
                "On the table",
                (
                    Stack(5, ("red", "blue", "red", "green"), "captured", "full"),
                    Stack(1, ("yellow", "purple")),
                    Stack(2, ("black", "white", "orange")),
                    Stack(6, ("blue",), "×3"),
                ),
            ),
            Stacks(
                "Onto which?",
                (
                    Stack(3, ("red", "blue"), "+3, Bob −3", "target", Tap("Onto the blue 3", event=Sampled(3))),
                    Stack(3, ("green",), "2 of these · 3 points", "target", Tap("Onto a green 3", event=Sampled(4))),
                ),
            ),
        ),
    ),
    (
        "Choice",
        (
            Choice(
                "What shall it be?",
                (GO, THIS, THAT, REFUSED),
            ),
            Choice("First die", FACES, faces=True),
            Choice("What is rare", (THIS, THAT), folded=True),
            Choice("Size 2 · Size 3", tuple(Tap(f"{a} · {b}") for b in range(3) for a in range(5)), columns=5),
        ),
    ),
    (
        "Grid",
        (
            Grid("Board", BOARD, tuple("123456"), ("a", "b", "c")),
            Grid("Sums", ((Cell("12"), Cell("−3")),) * 2, ("Ada", "Emmy"), ("1", "Sum"), written=True),
            Grid(
                "Piles",
                (
                    (
                        Cell("W3", "white", "target", Tap("W3", event=Sampled()), ("white", "black", "white")),
                        Cell("B1", "black", "new", layers=("black",)),
                        Cell("P9", "pink", layers=("red", "blue", "green", "yellow", "orange", "pink") + ("pink",) * 3),
                        Cell("", "", "target", Tap("Empty", event=Sampled())),
                        Cell(),
                    ),
                ),
                large=True,
            ),
            Grid("Gifts", ((Cell("T", "purple", picture=TEE), Cell("T +3", "purple", "target", THAT, picture=TEE)),)),
            Grid("Where?", (*TARGETS, (Cell("A", "red"), Cell("B", "green"), Cell(), Cell(), Cell(), Cell()))),
        ),
    ),
    (
        "Variants",
        (
            Variants(
                "Which way?",
                tuple(
                    Variant(
                        f"Begin {side}",
                        ((Cell(), Cell("W2", "white", "group", layers=("black", "white")), Cell("B1", "black")),),
                        ("Ada 4, Grace 5",),
                        Tap("Play this", event=Sampled(), tone=Tone.PRIMARY),
                    )
                    for side in ("north", "east", "south")
                ),
            ),
        ),
    ),
    (
        "PictureChoice",
        (
            PictureChoice("Number of the card", tuple(pictured(number) for number in range(1, 15))),
            PictureChoice("Card of the round", (pictured(3), pictured(4)), is_optional=True),
            PictureChoice("Which gift?", (PictureTap(TEE, THIS), PictureTap(TEE, THAT))),
        ),
    ),
    ("Track", (Track("Circles", 10, 4, 2), Track("None used", 6, 0))),
    ("ScoreTable", (ScoreTable("Score so far", LINES),)),
    (
        "Figures",
        (Figures("Compared", ("", "First", "Second"), (("Ada", "12", "40, 3, 3"), ("Grace", "-4", "8"))),),
    ),
    (
        "Clock",
        (
            Clock("Time left", None, None, 120_000_000),
            Clock("Paused", None, None, 34_500_000, Tone.WARN),
            Clock("Over", None, None, 0, Tone.DIM),
            Clock("Your time", None, None, 61_000_000, tap=GO),
        ),
    ),
    (
        "Seats",
        (
            Seats(
                (
                    SeatCard("p1", "Ada", "Ready", tone=Tone.GOOD),
                    SeatCard(
                        "p2",
                        "Grace",
                        "Building",
                        "fell once",
                        taps=(GO, FELL),
                    ),
                    SeatCard("p3", "Joan", "2nd", "31.208 s, 4.0 ms behind", Tone.GOOD),
                    SeatCard("p4", "Mary", "Not complete", tone=Tone.DIM),
                    SeatCard("p5", "Emmy", "", "3 turns", clock=Clock("Emmy", None, None, 61_000_000, tap=GO)),
                )
            ),
        ),
    ),
    (
        "Pictures",
        (
            Pictures("", (Picture("One picture", "An arch", 45, 60, ARCH),)),
            Pictures("Several", tuple(Picture(f"Of {name}", "An arch", 45, 60, ARCH) for name in ("Ada", "Grace"))),
        ),
    ),
    ("NumberEntry", (NumberEntry("Number of the card", Sampled(), "number", 1, 45, "Note"),)),
    ("TextEntry", (TextEntry("Why?", Sampled(), "number", 80, "Note"),)),
    ("Consult", (Consult("Show the best", "best"),)),
    ("Standings", (Standings("Grace wins", (LINES[1], LINES[0], LINES[2])),)),
    (
        "Curves",
        (
            Curves("Points during the game", "Entry", COURSE),
            Curves(
                "Below nothing", "Entry", (Curve("p1", "Ada", (0, -5, -5, -12)), Curve("p2", "Grace", (0, 4, 4, -12)))
            ),
            Curves("Nothing yet", "Entry", (Curve("p1", "Ada", (0,)),)),
        ),
    ),
    (
        "Bars",
        (
            Bars(
                "White die",
                tuple(
                    Bar(str(face), count, expected=9.5, between=(count / 2, count * 2))
                    for face, count in enumerate((9, 11, 6, 14, 8, 9), start=1)
                ),
                "57 throws so far; chance alone explains this (p = 0.620).",
            ),
            Bars("Islands", (Bar("Ada: 1 of 2", 7, "p1"), Bar("Ada: 2 of 2", 3, "p1"), Bar("Grace: 1 of 1", 9, "p2"))),
            Bars("Nothing", ()),
        ),
    ),
    (
        "PhotoFinish",
        (
            PhotoFinish(
                "Photo finish",
                (
                    Press("p1", "Ada", 31_204_000),
                    Press("p2", "Grace", 31_208_000),
                    Press("p3", "Alan", 38_480_000),
                ),
            ),
            PhotoFinish("At once", (Press("p1", "Ada", 20_000_000), Press("p2", "Grace", 20_000_000))),
        ),
    ),
)
