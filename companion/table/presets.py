"""The number of players and the options of a new game, and the preset they belong to."""

from collections.abc import Mapping

import msgspec

from companion.errors import BadInput
from companion.game.game import AnyGame, Options
from companion.game.options import Preset
from companion.journal import codec
from companion.words import N_, _

OWN = Preset("", N_("Own"), N_("This table's own rules."))


def check_seats(game: AnyGame, count: int) -> None:
    """Raises BadInput where a game is not for so many players."""
    fewest, most = game.rules.seats
    if not fewest <= count <= most:
        raise BadInput(
            _(
                "{title} is for {fewest} to {most} players, not {n}. Change the players.",
                title=game.pages.title,
                fewest=fewest,
                most=most,
                n=count,
            )
        )


def chosen_options(game: AnyGame, options: Mapping[str, object], preset: str) -> tuple[Options, Preset]:
    """The options of a new game, and its preset: OWN if the options differ from the named one.

    Raises BadInput for an unknown preset, and for a change to a locked one.
    """
    choice = OWN
    if preset:
        named = {other.name: other for other in game.pages.presets}
        if preset not in named:
            raise BadInput(
                _("{title} has no such preset. Choose one of {names}.", title=game.pages.title, names=", ".join(named))
            )
        choice = named[preset]
    preset_options = codec.options_from_json(game, msgspec.to_builtins(dict(choice.options)))
    chosen = codec.options_from_json(game, {**codec.options_to_json(preset_options), **options})
    if chosen != preset_options and choice.locked:
        raise BadInput(
            _(
                "{label} fixes every rule of {title}. Choose another preset to change one.",
                label=choice.label,
                title=game.pages.title,
            )
        )
    return chosen, choice if chosen == preset_options else OWN
