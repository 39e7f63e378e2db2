"""The page of one entrant, for everybody who looks, and for the entrant's own phone, which says how a game ended."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from werkzeug.wrappers import Response as AnyResponse

from companion.clock import wall_us
from companion.errors import CompanionError, NotFound
from companion.hub.hall import HALL
from companion.hub.presence import Presence, Reason
from companion.hub.tournament.attendance import Tournament, find_absentees
from companion.hub.tournament.events import PLAIN, Form, Ranks
from companion.hub.tournament.play import Play
from companion.hub.tournament.standings import BYE, entrants_of, lines, share_of
from companion.letters.offer import veil_session
from companion.words import _, listed, retold
from web.access import gate
from web.hub.board import answer_stream
from web.hub.guests import reached_url
from web.hub.here import address, follows, hub, may_organise, may_read, readers_only, staff_only
from web.hub.limits import Limit
from web.hub.places import named_ranks, place_of
from web.hub.rounds import SeatedGame, seated_game
from web.hub.tournament_forms import read_ranks
from web.hub.tournaments import game_title, stage, table_names
from web.pages.codes import code_of

entrants = Blueprint("entrants", __name__)


@entrants.get("/tournaments/<tournament>/entrants/<entrant>")
@readers_only
def page(tournament: str, entrant: str) -> str:
    """The games of one entrant: round, table, rivals, place and points."""
    values = entrant_values(tournament, entrant)
    link = hub().record.links.of(tournament).get(entrant, "") if may_organise() else ""
    return render_template(
        "hall/entrant.html",
        own=None,
        refusal="",
        code=code_of(f"{reached_url()}{url_for('.own_page', link=link)}") if link else None,
        fragment=url_for(".fragment", tournament=tournament, entrant=entrant),
        stream=url_for("board.stream"),
        **values,
    )


@entrants.get("/tournaments/<tournament>/entrants/<entrant>/now")
@readers_only
def fragment(tournament: str, entrant: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/entrant_games.html", own=None, **entrant_values(tournament, entrant))


@entrants.get("/tournaments/<tournament>/links")
@staff_only
def links_page(tournament: str) -> str:
    """The codes by which entrants open their own pages, to be printed and handed out."""
    one, links = hub().record.desk.find(tournament), hub().record.links.of(tournament)
    slips = [
        (one.name_of(entrant), code_of(f"{reached_url()}{url_for('.own_page', link=links[entrant])}"))
        for entrant in one.state.present
        if entrant in links
    ]
    return render_template("hall/links.html", tournament=one, slips=sorted(slips, key=lambda slip: slip[0].casefold()))


@entrants.post("/tournaments/<tournament>/entrants/<entrant>/link")
@staff_only
def renew_link(tournament: str, entrant: str) -> AnyResponse:
    """Gives an entrant another link, as when somebody else has found theirs."""
    hub().record.links.renew(tournament, entrant)
    return redirect(url_for(".page", tournament=tournament, entrant=entrant), 303)


@entrants.get("/me/<link>")
def own_page(link: str, refusal: str = "") -> str:
    """An entrant's own page, on the entrant's phone."""
    tournament, entrant = who(link)
    return render_template(
        "hall/entrant.html",
        refusal=refusal,
        code=None,
        fragment=url_for(".own_fragment", link=link),
        stream=url_for(".own_stream", link=link),
        **own_values(link, tournament, entrant),
    )


@entrants.get("/me/<link>/now")
def own_fragment(link: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/entrant_games.html", **own_values(link, *who(link)))


@entrants.get("/me/<link>/stream")
def own_stream(link: str) -> FlaskResponse:
    """Says whenever something has changed in the hall."""
    who(link)
    return answer_stream()


@entrants.post("/me/<link>/suggest")
def suggest(link: str) -> AnyResponse | tuple[str, int]:
    """The entrant says how the own game ended."""
    tournament, entrant = who(link)
    try:
        play = own_play(hub().record.desk.find(tournament), entrant)
        ranks: Ranks = read_ranks(play.pairing.seats) if play else ()
        hub().record.desk.suggest(tournament, entrant, request.form.get("game", ""), ranks)
    except CompanionError as refusal:
        if follows():
            raise
        return own_page(link, retold(refusal.sentence)), HTTPStatus.UNPROCESSABLE_ENTITY
    hub().live.publish(HALL)
    return AnyResponse(status=HTTPStatus.NO_CONTENT) if follows() else redirect(url_for(".own_page", link=link), 303)


def who(link: str) -> tuple[str, str]:
    """(tournament, entrant) of a link; raises NotFound. Who guesses waits."""
    gate.check_address()
    guessed: Limit = current_app.extensions["guessed"]
    guessed.check(address())
    try:
        return hub().record.links.find(link)
    except NotFound:
        guessed.count(address())
        raise


def own_play(tournament: Tournament, entrant: str) -> Play | None:
    """The open game in which somebody sits, None for none."""
    return next((play for play in tournament.state.open if entrant in play.pairing.seats), None)


def own_values(link: str, tournament: str, entrant: str) -> dict[str, Any]:
    """The values of the own page: those of everybody, and what may be said of the game."""
    values = entrant_values(tournament, entrant)
    one = values["tournament"]
    play = own_play(one, entrant)
    own: dict[str, Any] = {"link": link, "reads": may_read(), "play": None}
    if play and not play.is_at_ours:
        own |= {
            "play": play,
            "game": veil_session(play.pairing.session),
            "seats": [(seat, one.name_of(seat)) for seat in play.pairing.seats],
            "mine": play.said.get(entrant),
            "suggestions": [
                (named_ranks(one, ranks), listed(map(one.name_of, players)), entrant in players, places_of(play, ranks))
                for ranks, players in play.suggestions.items()
            ],
            "missing": listed([one.name_of(seat) for seat in play.pairing.seats if seat not in play.said]),
            "typed": request.form,
        }
    return values | {"own": own}


def places_of(play: Play, ranks: Ranks) -> list[tuple[str, int]]:
    """(player, place) of a suggestion, as a form sends it."""
    return [(seat, place_of(ranks, seat)) for seat in play.pairing.seats]


def entrant_values(tournament: str, entrant: str) -> dict[str, Any]:
    one = hub().record.desk.find(tournament)
    line = next((line for line in lines(one.state) if line.entrant == entrant), None)
    if line is None:
        raise NotFound(_("That entrant isn't in any more. Look again."))
    names, presences = table_names(), hub().record.presences.all()
    rows = []
    for round_ in one.state.rounds:
        play = next((play for play in round_.plays if entrant in play.pairing.seats), None)
        game = seated_game(one, play, names, presences) if play else None
        has_bye = entrant in round_.byes
        gained = share_of(play, entrant) if play and play.is_done else BYE if has_bye and gives_bye(one) else None
        rows.append((round_.number, game, has_bye, gained))
    return {
        "tournament": one,
        "title": game_title(one),
        "name": one.name_of(entrant),
        "line": line,
        "entrant": entrant,
        "news": news_of(one, entrant, rows[-1][1] if rows else None, presences),
        "clock": hub().record.desk.clock(one) if one.state.open else None,
        "now_us": wall_us(),
        "rows": rows[::-1],
    }


def gives_bye(tournament: Tournament) -> bool:
    """Whether a bye gives a point."""
    return tournament.state.plan.form is Form.ROUNDS


def news_of(
    tournament: Tournament, entrant: str, game: SeatedGame | None, presences: Mapping[str, Presence]
) -> list[str]:
    """What comes next for an entrant: where, with whom, when, and what that still waits for; in sentences."""
    state, name = tournament.state, tournament.name_of(entrant)
    play = own_play(tournament, entrant)
    if play is None or game is None:
        if entrant in state.withdrawn:
            return [_("{name} has withdrawn.", name=name), stage(tournament)]
        if state.rounds and not state.is_ended and entrant in state.newest.byes and state.open:
            return [
                _("{name} has a bye this round.", name=name),
                stage(tournament),
                _("The next round is seated after that."),
            ]
        if state.rounds and state.plan.form is Form.KNOCK_OUT and entrant not in entrants_of(state.newest):
            return [_("{name} is out of this knock-out.", name=name), stage(tournament)]
        waits = [] if state.is_ended else [_("The next round is seated after that.")] if state.open else []
        return [stage(tournament), *waits]
    number, seat = play.pairing.number, play.pairing.seats.index(entrant) + 1
    rivals = listed([tournament.name_of(one) for one in play.pairing.seats if one != entrant])
    if play.sayings and not play.is_at_ours:
        first = _("Now: game {number}. It is over once all its players say the same.", number=number)
    elif play.pairing.table == PLAIN:
        first = _("Now: game {number}, at any free table without a companion.", number=number)
    elif game.table:
        first = _("Now: game {number} at {table}.", number=number, table=game.table)
    else:
        first = _("Now: game {number}. It waits for a free table.", number=number)
    sentences = [first, _("{name} sits at seat {seat}, with {rivals}.", name=name, seat=seat, rivals=rivals)]
    if play.sayings and not play.is_at_ours:
        return sentences
    if game.state == "plays":
        return [*sentences, _("It is being played.")]
    if game.state == "silent" and presences[play.pairing.table].reason is Reason.REVOKED:
        return [*sentences, _("This table doesn't count any more. The staff give your game to another one.")]
    if game.state == "silent":
        return [
            *sentences,
            _(
                "{table} isn't heard now. If you play there, play on: the result comes by itself. Else ask the staff.",
                table=game.table,
            ),
        ]
    return [*sentences, *reasons_to_wait(tournament, play, game)]


def reasons_to_wait(tournament: Tournament, play: Play, game: SeatedGame) -> list[str]:
    """What keeps a game from beginning, or that it can begin."""
    absentees = find_absentees(tournament, play, hub().record.desk.going_on(), hub().record.desk.playing_at())
    names = table_names()
    waits = [
        _("Waits for {name}: still at {table}.", name=one.name, table=names.get(one.table, _("a table that left")))
        for one in absentees
    ]
    if waits:
        return waits
    if not play.pairing.table:
        return []
    if game.is_held:
        return [_("Another game still goes on at {table}.", table=game.table)]
    return [_("It can begin now.")]
