"""How to play: the page that teaches a game, as printed, with a preset, or with the options of a running game."""

from flask import Blueprint, render_template, request, url_for

from companion.game.game import AnyGame, Options
from companion.table.presets import chosen_options
from web.house import host
from web.pages.set_up import game_named

how_to = Blueprint("how_to", __name__)


@how_to.get("/how/<id:name>")
def game_page(name: str) -> str:
    """How to play a game, with the options of the preset named in the query, or as printed."""
    game = game_named(name)
    options, _preset = chosen_options(game, {}, request.args.get("preset", ""))
    return page(game, options, url_for("set_up.new", game=game.rules.name))


@how_to.get("/s/<id:session>/how")
def session_page(session: str) -> str:
    """How to play the game of a session, with the options of that table."""
    table = host().table(session)
    return page(table.game, table.session.options, url_for("pages.sheet_page", session=session))


def page(game: AnyGame, options: Options, back: str) -> str:
    """The page; `back` is the address that it was most likely opened from."""
    return render_template("how_to.html", game=game, how=game.pages.how_to(options), back=back)
