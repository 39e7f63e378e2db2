"""The people of the house and their games; everything known about a person, and deleting it."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, GameUnreadable, NotAllowed
from companion.game.readings import PhotoUse
from companion.house import next_game
from companion.house.erasure import is_named
from companion.house.people import Profile
from companion.house.records import Seat, games_played, keep_marks, record_of, seats_of
from companion.house.symbols import Mark
from companion.journal.codec import event_to_json
from companion.names import MOST_CHARACTERS
from companion.shelf import GAMES
from companion.table.history import HistoryLine
from companion.table.table import Table
from companion.words import N_, _, plain
from web.access import gate, rights
from web.api.photos import place as photo_place
from web.house import host
from web.render.csv import moment

people = Blueprint("people", __name__)

OVERLAYS = ("screen.overlay_page", "screen.overlay_fragment")

# Names of symbols and colours, for people who cannot see them.
SYMBOL_WORDS: Mapping[str, str] = {
    "circle": N_("circle"), "triangle": N_("triangle"), "square": N_("square"), "star": N_("star"),
    "cross": N_("cross"), "diamond": N_("diamond"), "heart": N_("heart"), "moon": N_("moon"),
    "hexagon": N_("hexagon"), "drop": N_("drop"),
}  # fmt: skip
COLOUR_WORDS: Mapping[str, str] = {
    "blue": N_("blue"), "orange": N_("orange"), "green": N_("green"), "purple": N_("purple"), "yellow": N_("yellow"),
    "red": N_("red"), "turquoise": N_("turquoise"), "pink": N_("pink"), "brown": N_("brown"), "black": N_("black"),
}  # fmt: skip


# The drawings of static/faces, for people who cannot see them.
FACE_WORDS: Mapping[str, str] = {
    "fox": N_("fox"), "cat": N_("cat"), "bear": N_("bear"), "owl": N_("owl"), "frog": N_("frog"),
    "rabbit": N_("rabbit"), "penguin": N_("penguin"), "panda": N_("panda"), "lion": N_("lion"),
    "robot": N_("robot"), "ghost": N_("ghost"), "octopus": N_("octopus"),
}  # fmt: skip


# the list


@people.get("/people")
def people_page() -> str:
    """The people of the house, and the names of other players."""
    return drawn_people()


def drawn_people(refusal: str = "", typed: str = "") -> str:
    """The page; `typed` is a name that was refused."""
    return render_template(
        "people.html",
        everybody=host().people.everybody(),
        played=games_played(host()),
        strangers=[stranger for stranger in host().people.strangers() if not next_game.is_nobody(stranger.name)],
        name_length=MOST_CHARACTERS,
        refusal=refusal,
        typed=typed[:MOST_CHARACTERS],
    )


@people.post("/people")
def add() -> tuple[str, int] | AnyResponse:
    """Adds a person with the games played under that name. With "played" the person may be known already."""
    enter = host().people.claim if "played" in request.form else host().people.add
    try:
        profile = enter(request.form.get("name", ""))
    except BadInput as refusal:
        return drawn_people(str(refusal), request.form.get("name", "")), 400
    return redirect(url_for("people.person_page", profile=profile.id), 303)


@people.post("/s/<id:session>/remember")
def remember(session: str) -> AnyResponse:
    """Adds the players of this game to the people of the house."""
    names = host().table(session).names
    host().people.seat(names, {name for name in names.values() if not next_game.is_nobody(name)})
    host().tables.update_names()
    return redirect(url_for("results.result_page", session=session), 303)


# the players of one game


@people.get("/s/<id:session>/players")
def players_page(session: str) -> str:
    """The players of a game: their names, and what else can change while it runs."""
    return drawn_players(host().table(session))


def drawn_players(table: Table, refusal: str = "", refused: str = "", typed: str = "") -> str:
    """The page; `typed` is a name that was refused for the player `refused`."""
    seated = host().people.seated()
    return render_template(
        "players.html",
        table=table,
        names=[
            (player, typed[:MOST_CHARACTERS] if player == refused else table.names.get(player, ""), seated.get(player))
            for player in table.session.players
            if rights.may_rename(table, player)
        ],
        marks=host().marks(table),
        name_length=MOST_CHARACTERS,
        refusal=refusal,
    )


@people.post("/s/<id:session>/players")
def rename(session: str) -> tuple[str, int] | AnyResponse:
    """Gives one player of this game another name."""
    table, player = host().table(session), request.form.get("player", "")
    rights.required_to_rename(table, player)
    try:
        host().rename_player(table, player, request.form.get("name", ""))
    except BadInput as refusal:
        return drawn_players(table, str(refusal), player, request.form.get("name", "")), 400
    return redirect(url_for("people.players_page", session=session), 303)


# one person


@people.get("/people/<id:profile>")
def person_page(profile: str) -> str:
    """The page of a person: bests, every game, and a form to change them."""
    return drawn_person(host().people.profile(profile))


def drawn_person(profile: Profile, refusal: str = "", typed: str | None = None) -> str:
    """The page; `typed` is a name that was refused."""
    record = record_of(host(), profile)
    return render_template(
        "person.html",
        profile=profile,
        record=record,
        may_choose_face=may_choose_face(profile),
        bests=[(GAMES[best.game].pages.title, best) for best in record.bests if best.points],  # 0 is nobody's best.
        symbols=SYMBOL_WORDS,
        colours=COLOUR_WORDS,
        mark=Mark,
        name_length=MOST_CHARACTERS,
        refusal=refusal,
        typed=profile.name if typed is None else typed[:MOST_CHARACTERS],
    )


@people.post("/people/<id:profile>")
def change(profile: str) -> tuple[str, int] | AnyResponse:
    """Changes a person's name, symbol and colour. In games that are not over the mark stays as it was."""
    try:
        keep_marks(host(), host().people.profile(profile))
        host().people.change(
            profile, request.form.get("name", ""), request.form.get("symbol", ""), request.form.get("colour", "")
        )
    except BadInput as refusal:
        return drawn_person(host().people.profile(profile), str(refusal), request.form.get("name", "")), 400
    host().tables.update_names()
    return redirect(url_for("people.person_page", profile=profile), 303)


# faces


def may_choose_face(profile: Profile) -> bool:
    """Whether this device may choose a person's face: their own, one for every seat at their table, or of the house."""
    only, seat = gate.only_session(), gate.only_player()
    if only is None or not gate.may(gate.Need.PLAY):
        return gate.may(gate.Need.PLAY)
    own = host().people.seats(profile.id)
    return bool({seat} & {*own} if seat else {*host().table(only).session.players} & {*own})


def required_to_choose_face(profile: Profile) -> None:
    """Raises NotAllowed on a device that may not choose that person's face."""
    if not may_choose_face(profile):
        raise NotAllowed(_("Only {name}, the shared tablet or the host can choose this face.", name=profile.name))


@people.get("/people/<id:profile>/face")
def face_page(profile: str) -> str:
    """The faces to choose from, and a photo to take."""
    person = host().people.profile(profile)
    required_to_choose_face(person)
    return render_template("face.html", profile=person, faces=FACE_WORDS)


@people.post("/people/<id:profile>/face")
def choose_face(profile: str) -> AnyResponse:
    """Gives a person a drawn face, their photo, or none, and leads back to where this device came from."""
    person = host().people.profile(profile)
    required_to_choose_face(person)
    with photo_place():
        file = request.files.get("photo")
        if file is not None and file.filename:
            host().people.keep_face_photo(profile, host().outside.encode_photo(file.read(), PhotoUse.FACE))
        elif "face" in request.form:
            host().people.choose_face(profile, request.form["face"])
        else:
            raise BadInput(_("No photo was chosen. Go back and take one."))
    host().tables.update_names()
    only = gate.only_session()
    back = url_for("pages.sheet_page", session=only) if only else url_for("people.person_page", profile=profile)
    return redirect(back, 303)


@people.get("/people/<id:profile>/face/<id:digest>.jpg")
def face(profile: str, digest: str) -> Response:
    """A person's photo. A browser asks again each time, so that a deleted one is no longer shown."""
    response = Response(host().people.face_photo(profile, digest), mimetype="image/jpeg")
    response.cache_control.private = response.cache_control.no_cache = True
    response.set_etag(digest)
    response.make_conditional(request)
    return response


def face_url(face: str) -> str:
    """The address of a mark's face; "" for a photo where it would leave the house: over a video, in another site."""
    person, is_photo, digest = face.partition(".")
    if not is_photo:
        return url_for("static", filename=f"faces/{face}.svg") if face in FACE_WORDS else ""
    is_kept_here = gate.ticket_for_frame() is not None or request.endpoint in OVERLAYS
    return "" if is_kept_here else url_for("people.face", profile=person, digest=digest)


@people.post("/people/<id:profile>/delete")
def delete(profile: str) -> str | AnyResponse:
    """Deletes everything about a person; the games stay whole."""
    name = host().people.profile(profile).name
    still = host().erase_person(profile)
    if still:
        raise BadInput(
            _(
                "{name} is deleted here, but these copies couldn't be changed: {files}. Delete them by hand.",
                name=name,
                files=", ".join(still),
            )
        )
    return redirect(url_for("people.people_page"), 303)


@people.get("/people/<id:profile>.json")
def everything(profile: str) -> Response:
    """Everything known about a person, as a file for them: profile, games with their entries, devices, sent entries."""
    person = host().people.profile(profile)
    seats = seats_of(host(), person)
    own, names = {seat.player for seat in seats}, host().people.names()
    record = {
        "name": person.name,
        "symbol": person.symbol,
        "colour": person.colour,
        **face_json(person),
        "remembered_since": moment(person.created_wall_us),
        "games": [game_json(seat) for seat in seats],
        "devices": [
            {"role": ticket.role, "label": ticket.label, "since": moment(ticket.created_wall_us)}
            for ticket in host().access.tickets.all()
            if ticket.player in own or is_named(person.name, ticket.label, names)
        ],
        "sent": [
            {"session": entry.session, "seq": entry.seq, "device": entry.label} for entry in host().people.sent(profile)
        ],
    }
    response = Response(msgspec.json.format(msgspec.json.encode(record, enc_hook=plain)), mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{profile}.json"'
    return response


def face_json(person: Profile) -> dict[str, str]:
    """A person's face, for their file: the name of the drawing, or the photo as JPEG in base64."""
    if person.face in ("", *FACE_WORDS):
        return {"face": person.face}
    return {"face_photo": b64encode(host().people.face_photo(person.id, person.face)).decode()}


def game_json(seat: Seat) -> dict[str, Any]:
    """One game of a person: its result, and all their entries."""
    history, unreadable = history_of(seat.played.session)
    return {
        "session": seat.played.session,
        "game": seat.title,
        "begun": moment(seat.played.created_wall_us),
        "player": seat.player,
        "finished": seat.played.outcome.over,
        "points": seat.points,
        "place": seat.place,
        "won": seat.player in seat.played.outcome.winners,
        "year_of_birth": seat.birth_year,
        "entries": [
            {
                "seq": line.seq,
                "at": moment(line.wall_us),
                "source": line.source,
                "device": line.device,
                "status": line.status,
                "event": None if line.event is None else event_to_json(line.event),
            }
            for line in reversed(history)
            if line.player == seat.player
        ],
        **({"unreadable": unreadable} if unreadable else {}),
    }


def history_of(session: str) -> tuple[tuple[HistoryLine, ...], str]:
    """(lines, ""), newest first; or ((), why) for a game that cannot be read here."""
    try:
        return host().table(session).history.lines(), ""
    except GameUnreadable as why:
        return (), why.sentence
