"""What a tournament is to be, as it was asked for."""

from companion.errors import BadInput
from companion.hub.tournament.events import MOST_MINUTES, MOST_ROUNDS, MOST_SEATS, Begun, Form
from companion.names import check_name
from companion.shelf import GAMES
from companion.words import _


def plan_of(
    title: str, game: str, preset: str, form: Form, seats: int, rounds: int, through: int = 0, minutes: int = 0
) -> tuple[str, Begun]:
    """The title and the event that begin a tournament (`Desk.begin`); raises BadInput."""
    title = check_name(title)
    kind = GAMES.get(game)
    if kind is None:
        raise BadInput(_("There's no such game. Choose one from the list."))
    if preset not in {choice.name for choice in kind.pages.presets}:
        raise BadInput(_("{game} isn't played by these rules. Choose the rules again.", game=kind.pages.title))
    least, most = max(2, kind.rules.seats[0]), min(MOST_SEATS, kind.rules.seats[1])
    if not least <= seats <= most:
        raise BadInput(
            _(
                "{game} is played by {least} to {most}. Choose the seats again.",
                game=kind.pages.title,
                least=least,
                most=most,
            )
        )
    if rounds > MOST_ROUNDS:
        raise BadInput(_("A tournament has {most_rounds} rounds at most.", most_rounds=MOST_ROUNDS))
    if minutes > MOST_MINUTES:
        raise BadInput(_("A round has {most_minutes} minutes at most.", most_minutes=MOST_MINUTES))
    begun = Begun(
        game=game,
        preset=preset,
        form=form,
        least=least,
        most=seats,
        rounds=0 if form is Form.KNOCK_OUT else rounds,
        through=through or seats // 2,
        minutes=minutes,
    )
    return title, begun
