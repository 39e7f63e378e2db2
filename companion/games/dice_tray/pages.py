"""The pages of the dice tray: the dice with what they make, what is tapped now, points and the last turns."""

from collections import Counter
from collections.abc import Sequence

from companion.game.box import Device, Signal
from companion.game.charts import Figures
from companion.game.dice import D6
from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import (
    Choice,
    DiceRow,
    Face,
    Headline,
    Notice,
    ScoreLine,
    ScoreTable,
    Standings,
    Tap,
    Tone,
    Widget,
)
from companion.games import resting, rulings
from companion.games.dice_tray import draft, lying, rules
from companion.games.dice_tray.lying import COLOURS, NO_COLOUR, Die
from companion.games.dice_tray.options import MOST_DICE
from companion.games.dice_tray.rules import Closed, Counted, Event, Rolled, RolledAgain, State, Turn
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.words import _, _n, joined, listed, number

Widgets = tuple[Widget[Event], ...]

TURNS_SHOWN = 5
GROUPS_SHOWN = 2
MOST_COLOURS_TOLD = 6  # A sentence about more dice names their numbers alone.
A_DASH = "–"


def view(state: State, viewer: Viewer) -> Widgets:
    """The tray of the whole table, or a player's own page."""
    if rules.is_over(state):
        return (_result(state, viewer), *_log(state, viewer, len(state.turns)))
    closing = Choice[Event](_("End the game"), (Tap(_("Nobody rolls any more"), event=Closed()),), folded=True)
    return (
        _headline(state, viewer),
        *_dice(state, viewer),
        *(_entry(state, viewer) if draft.may_roll(state, viewer) else ()),
        *_made(state),
        ScoreTable(_("Points"), _lines(state, viewer)),
        *_log(state, viewer, TURNS_SHOWN),
        *(() if viewer.looks_on else (closing,)),
    )


def die_words(die: Die) -> str:
    """A die in words: "6", "6 (red)"."""
    return _("{value} ({colour})", value=die.value, colour=_(die.colour)) if die.colour else number(die.value)


def dice_words(dice: Sequence[Die]) -> str:
    """Dice in words: "6 (red), 2 and 1"."""
    return listed(die_words(die) if len(dice) <= MOST_COLOURS_TOLD else number(die.value) for die in dice)


def points_words(count: int) -> str:
    """Points in words."""
    return _n("{n} point", "{n} points", count)


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    match event:
        case Rolled(player, dice, kept):
            name, rolled = viewer.name(player), dice_words(dice)
            places = [each.place for each in kept if 1 <= each.place <= len(state.dice)]
            if not places:
                return _("{name} rolled {dice}.", name=name, dice=rolled)
            stayed = dice_words([state.dice[place - 1] for place in places])
            return _("{name} kept {kept} and rolled {dice}.", name=name, kept=stayed, dice=rolled)
        case RolledAgain(player, dice):
            rolled = dice_words(dice)
            return _("{name} rolled the sixes again: {dice}.", name=viewer.name(player), dice=rolled)
        case Counted(player):
            points = points_words(lying.points(state.options, state.dice))
            return _("{name} let the dice count: {points}.", name=viewer.name(player), points=points)
        case Rested(player) | Returned(player):
            return resting.described(event, viewer.name(player))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    return _("The game was ended.")


def _headline(state: State, viewer: Viewer) -> Headline:
    options = state.options
    title = _("Your roll") if viewer.player == state.turn else _("{name} rolls", name=viewer.name(state.turn))
    of_rounds = _("Round {number} of {rounds}.", number=rules.round_of(state), rounds=options.rounds)
    turn = (_("Roll {roll} of {rolls}.", roll=state.rolls + 1, rolls=options.rolls),)
    parts = (*((of_rounds,) if options.rounds else ()), *(turn if options.rolls > 1 else ()))
    return Headline(title, joined(parts, " "), Tone.PRIMARY if draft.may_roll(state, viewer) else Tone.PLAIN)


def _shown(state: State) -> Turn | None:
    """The dice that lie there: those of this turn, or of the last one until somebody rolls."""
    return Turn(state.turn, state.round, state.dice) if state.dice else next(reversed(state.turns), None)


def _dice(state: State, viewer: Viewer) -> Widgets:
    """What lies there, and what was tapped so far; who may roll on taps the dice that are kept."""
    shown, options, typed = _shown(state), state.options, _typed(state, viewer)
    rows: list[Widget[Event]] = []
    if shown and (state.dice or not typed):
        keeps = bool(state.dice) and not state.fresh and draft.may_roll(state, viewer)
        kept = {each.place for each in draft.kept(state, viewer)} if keeps else set()
        faces = tuple(_face(die, place, place in kept, keeps) for place, die in enumerate(shown.dice, start=1))
        points = points_words(lying.points(options, shown.dice))
        rows.append(DiceRow(_("{name} rolled: {points}", name=viewer.name(shown.player), points=points), faces))
    if typed:
        rows.append(DiceRow(_("What you tapped"), tuple(_face(die, 0, False, False) for die in typed)))
    return tuple(rows)


def _face(die: Die, place: int, is_kept: bool, keeps: bool) -> Face[Event]:
    colour = die.colour or "white"
    if not keeps:
        return Face(die.value, colour)
    tap = Tap[Event](_("Keep {die}", die=die_words(die)), draft={"dice": ""}, adds={"keep": str(place)}, chosen=is_kept)
    return Face(die.value, colour, _("stays") if is_kept else "", tap)


def _typed(state: State, viewer: Viewer) -> tuple[Die, ...]:
    if not draft.may_roll(state, viewer):
        return ()
    return draft.dice(viewer, rules.left_to_roll(state, len(draft.kept(state, viewer))))


def _entry(state: State, viewer: Viewer) -> Widgets:
    """What is tapped now: the faces of a roll, then the tap that enters it, or lets the dice count."""
    player, kept, typed = state.turn, draft.kept(state, viewer), _typed(state, viewer)
    wanted = rules.left_to_roll(state, len(kept))
    room = MOST_DICE - len(kept) if wanted is None else wanted
    taps: list[Tap[Event]] = []
    if typed and (wanted is None or len(typed) == wanted):
        event = RolledAgain(player, typed) if state.fresh else Rolled(player, typed, kept)
        taps.append(Tap(_("Enter the roll"), event=event, tone=Tone.PRIMARY, at_once=wanted is not None))
    elif state.dice and not kept and not typed:
        points = points_words(lying.points(state.options, state.dice))
        taps.append(Tap(_("Let it count: {points}", points=points), event=Counted(player), tone=Tone.PRIMARY))
    if typed or kept:
        taps.append(Tap(_("Clear it"), draft={"dice": "", "keep": ""}))
    choice = (Choice("", tuple(taps)),) if taps else ()
    if len(typed) >= room:
        return choice if room else (*choice, Notice(_("You keep all dice. Roll one or more, or let them all count.")))
    colour = draft.colour(viewer)
    faces = tuple(Tap[Event](str(face), adds={"dice": draft.word(face, colour)}) for face in D6)
    is_folded = bool(state.dice) and not typed and not kept and not state.fresh
    return (*choice, Choice(_prompt(state, wanted), faces, faces=True, folded=is_folded), *_colours(colour))


def _prompt(state: State, wanted: int | None) -> str:
    if state.fresh:
        return _n("The six rolls again. What does it show?", "{n} sixes roll again. What do they show?", state.fresh)
    if wanted is None:
        return _("What do the dice show?")
    return _n("What does the die show?", "What do the {n} dice show?", wanted)


def _colours(chosen: str) -> Widgets:
    """The colour of the next die: without a camera, only who wants to know tells it (TR-03)."""
    taps = tuple(
        Tap[Event](_(name), draft={"colour": "" if name == chosen else name}, chosen=name == chosen) for name in COLOURS
    )
    prompt = _("Colour of the next die: {colour}", colour=_(chosen)) if chosen else _("Colour of the next die")
    return (Choice(prompt, taps, folded=True),)


def _made(state: State) -> Widgets:
    """What the dice make: sum, highest, lowest, alike and rows, then how many by value, and by colour."""
    shown = _shown(state)
    if shown is None:
        return ()
    dice, values = shown.dice, [die.value for die in shown.dice]
    alike, row = lying.alike(dice), lying.run(dice)
    groups = [_times(n, number(value)) for value, n in alike[:GROUPS_SHOWN]] + ["…"] * (len(alike) > GROUPS_SHOWN)
    heads = (_("Sum"), _("Highest"), _("Lowest"), _("Alike"), _("In a row"))
    ends = joined(map(number, row[:: len(row) - 1]), "\u2060–\u2060") if row else A_DASH
    made = (number(sum(values)), number(max(values)), number(min(values)), joined(groups) or A_DASH, ends)
    colours = Counter(die.colour for die in dice if die.colour != NO_COLOUR)
    lines = [(_("All dice"), dice)] + [(_times(n, _(name)), _of(name, dice)) for name, n in colours.items()]
    rows = tuple((words, *(_count(those, face) for face in D6)) for words, those in lines)
    return (Figures(_("What lies there"), heads, (made,)), Figures("", (_("Dice"), *map(str, D6)), rows))


def _times(count: int, what: str) -> str:
    return _("{n}\u00a0×\u00a0{value}", n=count, value=what)


def _count(dice: Sequence[Die], face: int) -> str:
    count = sum(die.value == face for die in dice)
    return number(count) if count else A_DASH


def _of(colour: str, dice: Sequence[Die]) -> tuple[Die, ...]:
    return tuple(die for die in dice if die.colour == colour)


def _log(state: State, viewer: Viewer, most: int) -> Widgets:
    """The newest turns, the latest first; the history has them all, with the camera's pictures."""
    if not state.turns:
        return ()
    turns = tuple(reversed(state.turns))[:most]
    lines = tuple(
        (
            viewer.name(turn.player),
            dice_words(turn.dice),
            str(lying.points(state.options, turn.dice)),
        )
        for turn in turns
    )
    return (Figures(_("The last turns"), (_("Player"), _("Dice"), _("Points")), lines),)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: rules.explain(state, player) for player in state.players}
    return score_lines(explained, viewer, rules.winners(state), rules.awaiting(state))


def _result(state: State, viewer: Viewer) -> Standings:
    names = [viewer.name(player) for player in rules.winners(state)]
    title = _n("{names} wins", "{names} win", len(names), names=listed(names))
    return Standings(title, best_first(_lines(state, viewer)))


def bind(state: State, signal: Signal) -> Event | None:
    """The button of who rolls lets the dice count (TR-13)."""
    if not signal.pressed or signal.device is not Device.SEAT or rules.is_over(state) or not state.dice:
        return None
    own_seat = state.players.index(state.turn) + 1
    return Counted(state.turn) if signal.seat == own_seat else None
