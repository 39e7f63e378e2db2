"""Beginning a game: choosing it, its players and options; importing one; and the list of entrants of a tournament."""

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, IllegalEvent, NotAllowed, NotFound
from companion.foreign import Unreadable, read_json
from companion.game.game import AnyGame
from companion.game.options import Preset, option_infos
from companion.house import next_game
from companion.house.transfer import LONGEST_FILE
from companion.journal.codec import options_from_json, options_to_json
from companion.journal.settings import CLEARED_WALL_US, ENTRANTS, OWN_RULES, REMEMBER
from companion.names import MOST_CHARACTERS, tidy_name
from companion.shelf import GAMES
from companion.words import _
from web.access import gate, referee, rights
from web.api import requests
from web.house import host
from web.pages.codes import codes_of
from web.render import forms
from web.render.name_lists import list_sent

set_up = Blueprint("set_up", __name__)

FEW_SEATS = 4  # places shown at first; there is always an empty one
LONGEST_IN_CODE = 1_600  # characters of an address; a phone reads no finer code from a screen
LONGEST_NAME, MOST_OWN_RULES = 40, 50
NUMBERS_OFFERED = 4  # of players on a game's card: as many as a phone has room for


@set_up.get("/new")
def new() -> str:
    """The choice of a game; then its form for names and options, filled with defaults, or as the address says."""
    name = request.args.get("game")
    if name is None:
        return render_template("choose.html", cards=game_cards(), at_once=begins_at_once())
    game = game_named(name)
    preset = preset_named(game, request.args.get("preset", game.pages.presets[0].name))
    infos = option_infos(game.rules.options)
    chosen = shown_fields(game, preset, {} if preset.locked else request.args)
    fields = [forms.typed(info, chosen) for info in infos]
    players = number_of_players(game, request.args.get("players", ""))
    return set_up_page(game, preset, default_names(game, players), fields)


def game_cards() -> list[tuple[AnyGame, range]]:
    """Each game, and the numbers of players that its card offers."""
    cards = []
    for game in GAMES.values():
        fewest, most = max(2, game.rules.seats[0]), game.rules.seats[1]
        cards.append((game, range(fewest, min(most, fewest + NUMBERS_OFFERED - 1) + 1)))
    return cards


def begins_at_once() -> bool:
    """Whether a tap on a number of players begins the game: this house knows no names that its set-up could offer."""
    return not host().people.everybody() and all(map(next_game.is_nobody, next_game.last_names(host())))


def number_of_players(game: AnyGame, text: str) -> int | None:
    """The number of players that an address or a form asks for, within the game's; None where it names none."""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        return None
    fewest, most = game.rules.seats
    return max(fewest, min(most, int(text)))


@set_up.post("/new")
def begin() -> tuple[str, int] | AnyResponse:
    """Starts the game as the form says; a refusal shows the form again with its sentence.

    `seats`, the number on a game's card, stands for so many players without names, by the rules as printed.
    """
    game = game_named(request.form.get("game", ""))
    preset = preset_named(game, request.form.get("preset") or game.pages.presets[0].name)
    names = [name for name in request.form.getlist("player") if name.strip()]
    number = number_of_players(game, request.form.get("seats", ""))
    remember = set() if number else to_remember(names)
    names = [next_game.nobody(seat) for seat in range(1, number + 1)] if number else names
    infos = option_infos(game.rules.options)
    fields = [forms.typed(info, shown_fields(game, preset, request.form)) for info in infos]
    try:
        chosen = {} if preset.locked else {field.info.name: forms.value_of(field) for field in fields}
        if "file" in request.form:
            return rules_file(game, chosen)
        if ways := [way for way in ("share", "keep", "forget") if way in request.form]:
            query = query_of(game, fields)
            if "share" not in ways:
                name = request.form.get("forget") or request.form.get("kept_as", "")
                change_own_rules(game, name, query if "keep" in ways else "")
            names = request.form.getlist("player")[: requests.PLAYERS]
            return set_up_page(game, preset, names, fields, shared=path_of(query) if "share" in ways else ""), 200
        table = host().create(
            game.rules.name, names, chosen, preset=preset.name, remember=remember, maker=gate.device()
        )
    except (BadInput, IllegalEvent) as refusal:
        names_typed = [name[:MOST_CHARACTERS] for name in request.form.getlist("player")][: requests.PLAYERS]
        return set_up_page(game, preset, names_typed, fields, str(refusal)), 400
    return referee.begun(table)


@set_up.post("/offered/<id:session>")
def begin_offered(session: str) -> AnyResponse:
    """Begins the game that the hall has for this table, with its players."""
    if not rights.may_begin():
        raise NotAllowed(_("This device can join only one game. Start the next one on the shared tablet."))
    return referee.begun(next_game.begin_offered(host(), session, gate.device()))


def to_remember(names: list[str]) -> set[str]:
    """The names that become people of the house, if the form says so. The next form begins with the same choice."""
    wanted = "remember" in request.form
    if wanted != REMEMBER.of(host().journal):
        REMEMBER.put(host().journal, wanted)
    tidy = set(map(tidy_name, names))
    return {name for name in tidy if not next_game.is_nobody(name)} if wanted else set()


def shown_fields(game: AnyGame, preset: Preset, form: Mapping[str, str]) -> Mapping[str, str]:
    """The form as typed, or the preset's options if the form names no option at all."""
    if any(name.startswith("option.") for name in form):
        return form
    fields = (
        forms.field_of(info, preset.options.get(info.name, info.default)) for info in option_infos(game.rules.options)
    )
    return {name: text for field in fields for name, text in forms.sent(field).items()}


def query_of(game: AnyGame, fields: Iterable[forms.Field]) -> str:
    """What the address of the set-up with these rules says: it names the options that are not as printed."""
    changed = [field for field in fields if field != forms.field_of(field.info, field.info.default)]
    values = {name: text for field in changed for name, text in forms.sent(field).items()}
    return urlencode({"game": game.rules.name, **values})


def path_of(query: str) -> str:
    return f"{url_for('set_up.new')}?{query}"


def own_rules(game: AnyGame) -> dict[str, str]:
    """Name → query of the rules that the host has kept for a game."""
    lines = (line.partition("#") for line in OWN_RULES.of(host().journal).splitlines())
    return {name: query for query, _, name in lines if f"{query}&".startswith(f"game={game.rules.name}&")}


def change_own_rules(game: AnyGame, name: str, query: str) -> None:
    """Keeps rules under a name, in place of those of that name; "" for none. Raises NotAllowed and BadInput."""
    if not gate.may(gate.Need.HOST):
        raise NotAllowed(_("Only the host keeps rules here. Share them as a link instead."))
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadInput(_("Rules need a name of 1 to {longest} characters. Type one.", longest=LONGEST_NAME))
    same = {f"{old}#{name}" for named, old in own_rules(game).items() if named == name}
    lines = [line for line in OWN_RULES.of(host().journal).splitlines() if line not in same]
    if query and len(lines) >= MOST_OWN_RULES:
        raise BadInput(_("{most} rules are kept here at most. Forget some.", most=MOST_OWN_RULES))
    OWN_RULES.put(host().journal, "\n".join([*lines, *([f"{query}#{name}"] if query else [])]))


def rules_file(game: AnyGame, options: Mapping[str, object]) -> AnyResponse:
    """Rules as a file: the game, and its options that are not as printed, as JSON."""
    chosen, printed = options_from_json(game, dict(options)), game.rules.options()
    values = {name: value for name, value in options_to_json(chosen).items() if value != options_to_json(printed)[name]}
    text = json.dumps({"game": game.rules.name, "options": values}, ensure_ascii=False, indent=1)
    return send_file(
        BytesIO(text.encode()), "application/json", as_attachment=True, download_name=f"{game.rules.name}-rules.json"
    )


def rules_in(text: str) -> str:
    """The path of the set-up with the rules in a file, "" for a file that holds none; raises BadInput."""
    try:
        data = read_json(text)
    except Unreadable:
        return ""  # A saved game has many lines of JSON.
    if not isinstance(data, dict) or {*data} != {"game", "options"}:
        return ""
    game = game_named(str(data["game"]))
    options = options_from_json(game, data["options"])
    infos = option_infos(game.rules.options)
    return path_of(query_of(game, (forms.field_of(info, getattr(options, info.name)) for info in infos)))


def set_up_page(
    game: AnyGame, preset: Preset, names: list[str], fields: list[forms.Field], refusal: str = "", shared: str = ""
) -> str:
    fewest, most = game.rules.seats
    places = [*names, *[""] * (min(most, max(FEW_SEATS, len(names) + 1)) - len(names))]
    return render_template(
        "set_up.html",
        game=game,
        preset=preset,
        fields=fields,
        changed=sum(field != forms.field_of(field.info, field.info.default) for field in fields),
        names=places,
        entrants=entrants_known(),
        people=host().people.everybody(),
        remember=REMEMBER.of(host().journal),
        is_nobody=next_game.is_nobody,
        fewest=fewest,
        most=most,
        refusal=refusal,
        shown=codes_of(shared) if len(shared) <= LONGEST_IN_CODE else (),
        shared=shared,
        own_rules={name: path_of(query) for name, query in own_rules(game).items()},
        moment=f"{host().journal.count_sessions()}-{CLEARED_WALL_US.of(host().journal)}",
        name_length=MOST_CHARACTERS,
    )


def game_named(name: str) -> AnyGame:
    if name not in GAMES:
        raise NotFound(_("There's no such game. Choose one from the list."))
    return GAMES[name]


def preset_named(game: AnyGame, name: str) -> Preset:
    for preset in game.pages.presets:
        if preset.name == name:
            return preset
    raise NotFound(_("This game has no such preset. Choose one of those shown."))


def default_names(game: AnyGame, players: int | None) -> list[str]:
    """The names of those who played last, as far as there are seats; then "Player 1", "Player 2", …

    players     how many there shall be, None for as many as played last
    """
    fewest, most = game.rules.seats
    names = [next_game.in_own_words(name) for name in next_game.last_names(host())[: players or most]]
    wanted = players or max(fewest, len(names) or 2)
    return [*names, *map(next_game.nobody, range(len(names) + 1, wanted + 1))]


# importing a game


@set_up.get("/import")
def import_page() -> str:
    """The form to choose the file of a saved game."""
    return render_template("import.html", refusal="")


@set_up.post("/import")
def import_game() -> tuple[str, int] | AnyResponse:
    """Imports the game after verifying it; a refusal shows the page again with its sentence."""
    rights.check_import_limit()
    request.max_content_length = LONGEST_FILE
    file = request.files.get("file")
    try:
        if file is None or not file.filename:
            raise BadInput(_("No file was chosen. Choose one that a companion saved. Its name ends in .jsonl."))
        text = decoded(file.read(), _("This file isn't a saved game. It isn't UTF-8 text."))
        if path := rules_in(text):
            return redirect(path, 303)
        table = host().transfer.take(text, gate.device())
    except (BadInput, IllegalEvent) as refusal:
        return render_template("import.html", refusal=str(refusal)), 400
    return referee.begun(table)


# entrants


@set_up.get("/entrants")
def entrants_page() -> str:
    """The entrants, and the form to paste a list or choose a file."""
    return render_template("entrants.html", entrants=entrants_known(), sent=None, text="", refusal="")


@set_up.post("/entrants")
def enter() -> tuple[str, int] | AnyResponse:
    """Saves a list of names, once what was understood of it has been shown."""
    sent, refusal = None, ""
    try:
        sent = list_sent("text")
    except BadInput as error:
        refusal = str(error)
    if sent is None or not sent.is_sure:
        text = request.form.get("text", "")[: forms.LONGEST]
        page = render_template("entrants.html", entrants=entrants_known(), sent=sent, text=text, refusal=refusal)
        return page, 200 if sent and not sent.refusal else 400
    ENTRANTS.put(host().journal, "\n".join(sent.names))
    return redirect(url_for("set_up.entrants_page"), 303)


def entrants_known() -> list[str]:
    """The names on the list."""
    return ENTRANTS.of(host().journal).splitlines()


def decoded(content: bytes, refusal: str) -> str:
    """A file's text; raises BadInput(refusal) if it is no UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(refusal) from error
