"""How to use the turn clock, for newcomers."""

from companion.game.charts import Figures
from companion.game.how_to import Hint, HowTo, Topic
from companion.game.widgets import Clock, Tone
from companion.games.turn_clock.options import FEWEST_PLAYERS, MOST_PLAYERS, Bonus, Options, Way, Zero
from companion.games.turn_clock.state import Stage, State, stage
from companion.words import _, _n, clock_face


def how_to(options: Options) -> HowTo:
    """How to use the clock with these options."""
    clock, up = Clock(_("Your clock"), None, None, options.time_us), Clock(_("Time is up"), None, None, 0, Tone.DIM)
    return HowTo(
        Topic((_goal(options),), (clock,)),
        Topic(_turn(options), (_meanings(),)),
        Topic((_("Whoever wins has one point. If nobody wins alone, all who are in have one."),), (up,)),  # TC-61
        (
            _("For {fewest} to {most} players.", fewest=FEWEST_PLAYERS, most=MOST_PLAYERS),  # TC-01
            _("Give each player a button, a phone, or a field on one device for all."),  # TC-10
        ),
        (_("Say who has won once your game is over."), *_at_zero(options)),  # TC-60
    )


def hint(state: State) -> Hint | None:
    """What to press in this stage."""
    sentences = {
        Stage.WAITING: _("Press any clock here, or any seat's button, to start."),  # TC-10
        Stage.RUNNING: _("Press your clock when you are done. The next one runs then."),  # TC-11
    }
    now = stage(state)
    return Hint(now, sentences[now]) if now in sentences else None


def _goal(options: Options) -> str:
    time = clock_face(options.time_us)
    match options.way:
        case Way.GAME:
            return _("Each player has {time} for the whole game.", time=time)  # TC-20
        case Way.HOURGLASS:
            return _("Each glass begins with {time}. What you use runs into the glasses of the others.", time=time)
        case Way.TURN:
            return _("Each player has {time} for each turn.", time=time)  # TC-25
        case Way.ROUND:
            return _("All play at once. A round takes {time}, then the buzzer ends it.", time=time)  # TC-27
    return _("The clock shows how long each player thinks. No time runs out.")  # TC-26


def _turn(options: Options) -> tuple[str, ...]:
    if options.is_shared:  # TC-27, TC-29
        press = _("All clocks run. Press when you are done. Once all are done, the next turn begins.")
    else:
        press = _("Your clock runs while it's your turn. Press when you are done, and the next player's runs.")  # TC-11
    return (press, *_bonus(options), _("Anybody may pause, and anybody may go on."))  # TC-50


def _bonus(options: Options) -> tuple[str, ...]:
    n = options.bonus_s
    if not n:
        return ()
    match options.bonus:
        case Bonus.ADDED:  # TC-21
            return (_n("After each turn you get {n} second more.", "After each turn you get {n} seconds more.", n),)
        case Bonus.DELAY:  # TC-23
            return (_n("Your clock waits {n} second first.", "Your clock waits {n} seconds first.", n),)
    return (_n("Up to {n} second of a turn comes back.", "Up to {n} seconds of a turn come back.", n),)


def _at_zero(options: Options) -> tuple[str, ...]:
    if options.rounds:  # TC-62
        return (_n("The game is over after {n} round.", "The game is over after {n} rounds.", options.rounds),)
    if options.way in (Way.UP, Way.ROUND):
        return ()
    match options.zero:
        case Zero.OUT:
            return (_("If your time is up, you are out. The last one who is in wins."),)  # TC-30, TC-33
        case Zero.PASSES:
            return (_("When a time is up, the turn passes on by itself."),)  # TC-31
    return (_("When a time is up, the box buzzes, and the turn goes on."),)  # TC-32


def _meanings() -> Figures:
    """What each light of a seat says (TC-70, TC-71)."""
    rows = (
        (_("shines"), _("It's your turn.")),
        (_("blinks slowly"), _("The clock waits for a start, or is paused.")),
        (_("blinks fast"), _("You have ten seconds or less.")),
    )
    return Figures(_("Your light"), (_("Light"), _("Meaning")), rows)
