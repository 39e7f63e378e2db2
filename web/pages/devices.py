"""Pages of access: the codes to scan or to type, the host's PIN, the devices that are in, the house's settings."""

import secrets
from collections.abc import Iterable
from dataclasses import replace

from flask import Blueprint, current_app, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import shelf
from companion.access.short_codes import CODE_MINUTES, Way
from companion.access.tickets import TICKETS
from companion.errors import BadInput, JournalUnusable, NotAllowed, TooManyTries
from companion.game.readings import Kind
from companion.house.games_list import SessionSummary
from companion.journal.devices import FRAME, Role, device_name
from companion.journal.settings import CORRECTIONS, HUB_PEOPLE, LANGUAGE, PAPER, SLEEPS
from companion.letters.outbox import Outbox
from companion.names import NAME_LENGTH, shortened
from companion.printing.paper import PAPERS, system_paper
from companion.sensing.asking import accepting
from companion.words import N_, _, languages, retold
from web.access import gate
from web.house import host
from web.pages.codes import codes_of, own_urls, remember_way_in
from web.pages.seats import who

devices = Blueprint("devices", __name__)

# Messengers fetch a link for a preview before anybody taps it; these words stand in their user agents.
PREVIEWERS = (
    "whatsapp", "facebookexternalhit", "telegrambot", "twitterbot", "slackbot", "discordbot", "skypeuripreview",
)  # fmt: skip
SCREENS = {"board": "screen.big_screen_page", "overlay": "screen.overlay_page"}  # screens that a link may open
FRAMED_SCREENS = {f"framed-{name}": page for name, page in SCREENS.items()}  # that another site's page may show
FIRST_PAGES = {**SCREENS, "camera": "camera.page"}  # where a link may lead a device that has just come in


@devices.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> AnyResponse | str:
    """A code was scanned: this device is in, unless it was already. A one-time link shows a button, which uses it up.

    Programs that look a link up tap no button.
    """
    way, offered = Way(token, request.args.get("to", "")), host().access.tickets.ticket(token)
    if offered is None or request.method == "POST" or gate.has_better(offered):
        return come_in(way)
    if offered.once:
        return render_template("join.html", opener=secrets.token_urlsafe())
    if is_only_asked_for():
        return redirect(first_page(offered.session or g.visitor.session, offered.player, way.to), 303)
    return come_in(way)


def come_in(way: Way) -> AnyResponse:
    """Lets this device in by a link, unless it has more rights than that gives; a one-time link is used up.

    Raises NotAllowed for a link that no longer works.
    """
    access = host().access
    offered = access.tickets.ticket(way.token)
    if offered is not None and gate.has_better(offered):
        return redirect(first_page(offered.session or g.visitor.session, offered.player, way.to), 303)
    kept = access.redeem(way.token, request.form.get("opener", ""))
    ticket = access.tickets.ticket(kept)
    answer = redirect(first_page(ticket.session if ticket else None, ticket.player if ticket else None, way.to), 303)
    if ticket is not None:
        remember_way_in()
        is_screen = ticket.session is None and way.to in FIRST_PAGES
        if not is_screen and not (offered and offered.once) and who.is_to_ask(ticket):
            answer = redirect(url_for("who.page"), 303)
    gate.let_in(answer, kept)
    return answer


def is_only_asked_for() -> bool:
    """Whether somebody asks where a code leads, or a messenger draws its link beside a message. A browser that loads
    it in advance is another matter: it keeps the ticket for the tap that follows, and may show what it has loaded."""
    agent = request.headers.get("User-Agent", "").lower()
    return request.method == "HEAD" or any(word in agent for word in PREVIEWERS)


def first_page(session: str | None, player: str | None, to: str) -> str:
    """Where a device goes that has just come in: to the one game it is for, or to all; a screen to what it shows."""
    if session is None and (first := FIRST_PAGES.get(to)):
        return url_for(first)
    return url_for("pages.home") if session is None else url_for("pages.sheet_page", session=session, player=player)


@devices.get("/pin")
def pin_page() -> str:
    """The page for a device that wants in, or more rights than it has."""
    return outside_page()


@devices.post("/pin")
def enter_pin() -> tuple[str, int] | AnyResponse:
    """A short code lets a device in as its link does; the right PIN makes it the host's."""
    access = host().access
    try:
        way = access.enter(request.form.get("pin", "").strip(), request.remote_addr or "")
        return come_in(replace(way, to=way.to or request.form.get("to", "")))
    except (NotAllowed, TooManyTries) as refusal:
        return outside_page(str(refusal)), 429 if isinstance(refusal, TooManyTries) else 403


def outside_page(refusal: str = "") -> str:
    """The page with the field for a code or the PIN; `refusal` says why this device is not in.

    Where a screen was asked for, as on a television, the code leads to it.
    """
    asked = next((name for name, page in FIRST_PAGES.items() if page == request.endpoint), request.form.get("to", ""))
    return render_template("outside.html", refusal=refusal, opener=secrets.token_urlsafe(), to=asked)


# the house's page

READINGS = {  # kind of reading → the label of its switch: whether readings count without a tap
    Kind.DICE: N_("Accept clear dice without asking"),
    Kind.STACKS: N_("Accept clear dice stacks too"),
    Kind.BOARD: N_("Accept clear board moves too"),
    Kind.CARD: N_("Accept clear cards too"),
    Kind.LOAD: N_("Accept left-over boxes after nothing moved for 20 seconds"),
    Kind.TOWER: N_("Accept the camera's verdict on block stacks after 10 seconds"),
}  # for the last two the players have time to object: only they know whether it is done, or what they saw


@devices.get("/house")
def house() -> str:
    """The page of the house: codes for guests, the devices, the rules of access, and the pictures."""
    return house_page()


def house_page(path: str = "", label: str = "", pin: str = "", typed: str = "", *, is_for_frame: bool = False) -> str:
    """The page of the house with a code that leads to a path, or for another site's frame with its addresses alone.

    typed   the short code to type instead of scanning that one, "" for none
    """
    journal, tickets, codes = host().journal, host().access.tickets.all(), host().access.codes.devices()
    if not path:
        path, label = guests_path(), Role.PLAYER
    return render_template(
        "house.html",
        devices=[ticket for ticket in tickets if ticket.id not in codes and not ticket.once],
        unused=[ticket for ticket in tickets if ticket.id in codes or ticket.once],
        codes=codes,
        games=games_named({ticket.session for ticket in tickets if ticket.session}),
        device_name=device_name,
        sessions=host().sessions(1),
        shown=codes_of(path),
        typed=typed,
        code_minutes=CODE_MINUTES,
        addresses=own_urls(),
        label=label,
        is_for_frame=is_for_frame,
        frames=current_app.config["FRAMES"],
        pin=pin,
        has_pin=host().access.pin.is_set(),
        corrections=CORRECTIONS.of(journal),
        house_language=LANGUAGE.of(journal),
        paper=PAPER.of(journal),
        papers=PAPERS.values(),
        system_paper=system_paper(),
        picture_days=host().pictures.days,
        readings=[(accepting(kind).name, label, host().asking.accepts(kind)) for kind, label in READINGS.items()],
        silent=host().silent,
        sleeps=SLEEPS.of(host().journal),
        clips=host().pictures.keeps_clips,
        keeps_corrections=host().learner.keeps,
        learned=host().learner.pictures_kept,
        strictness=host().learner.strictness,
        roles=tuple(Role),
        name_length=NAME_LENGTH,
        hub=Outbox(journal).summary(),
        hub_people=HUB_PEOPLE.of(journal),
        refused_games=[(refused.package, retold(refused.why)) for refused in shelf.REFUSED],
    )


def games_named(sessions: Iterable[str]) -> dict[str, str]:
    """Session → title and players, for these games."""
    named = {}
    for game in host().games_named(sessions):
        players = game.known_names if isinstance(game, SessionSummary) else game.names
        named[game.id] = f"{game.title} ({', '.join(players.values())})" if players else game.title
    return named


@devices.post("/house/link")
def make_link() -> str:
    """Makes a code for a guest or a screen, with a role, a seat, and maybe for one device only."""
    role = request.form.get("role", "")
    if role not in set(Role):
        raise BadInput(_("Choose whether the guest is a spectator, a player or the host."))
    session, _slash, player = request.form.get("seat", "").partition("/")
    label = shortened(request.form.get("label", ""))
    if not session and player in FRAMED_SCREENS:
        return link_for_frame(FRAMED_SCREENS[player], label or FRAME)
    screen = player if not session and player in SCREENS else None
    if session and player not in host().table(session).session.players:
        raise BadInput(_("That player isn't at that table. Choose a seat from the list."))
    granted = Role.WATCHER if screen else Role(role)  # Nobody taps on a screen.
    is_once = "once" in request.form
    token = host().access.tickets.issue(
        granted, session=session or None, player=player if session else None, label=label, once=is_once
    )
    # What makes a host shall be typed by one device alone.
    return page_with_code(Way(token, screen or ""), label or role, has_typed=is_once or granted is not Role.HOST)


def page_with_code(way: Way, label: str, *, has_typed: bool = True) -> str:
    """The page of the house with the code of a link to scan, and mostly one to type."""
    typed = host().access.short_codes.new(way) if has_typed else ""
    return house_page(url_for("devices.join", token=way.token, to=way.to or None), label, typed=typed)


@devices.post("/house/code")
def show_code() -> str:
    """Makes a code to type in place of the one on the first page: for devices that can scan nothing."""
    try:
        token = host().access.codes.standing(Role.PLAYER)
    except JournalUnusable:  # such as a full disk: the page says that there is no code
        return house_page()
    return page_with_code(Way(token), Role.PLAYER)


def link_for_frame(page: str, label: str) -> str:
    """Makes the address of a screen for another site's frame, where a browser sends no cookie of ours."""
    if not current_app.config["FRAMES"]:
        raise BadInput(_("No other site can show this table yet. Start it with --allow-frame and that site's address."))
    token = host().access.tickets.issue_for_frame(label)
    return house_page(url_for(page, ticket=token), label, is_for_frame=True)


@devices.post("/house/hand-over")
def hand_over() -> str:
    """Makes a code for the next host. This device then becomes a player; the machine itself remains the host's."""
    giver = None if gate.is_own_machine() else host().access.tickets.ticket(gate.shown_token())
    link = host().access.links.hand_over(giver)
    return page_with_code(Way(link), _("the new host, if you scan this first. This device then becomes a player"))


@devices.post("/house/revoke")
def revoke() -> AnyResponse:
    """Revokes a device's ticket."""
    host().access.tickets.revoke(request.form.get("ticket", ""))
    host().live.publish(TICKETS)
    return redirect(url_for("devices.house"), 303)


@devices.post("/house/pin")
def new_pin() -> str:
    """Makes a new PIN, which is shown only now."""
    return house_page(pin=host().access.pin.renew())


@devices.post("/house/rules")
def set_rules() -> AnyResponse:
    """Saves the house's settings: corrections, readings, learning, pictures, clips, language, paper and tones."""
    corrections = request.form.get("corrections", "")
    if corrections not in ("players", "host"):
        raise BadInput(_("Choose who can correct: the players, or only the host."))
    days = request.form.get("picture_days", "")
    if not (days.isascii() and days.isdigit() and len(days) <= 4):
        raise BadInput(_("Photos are kept for a whole number of days. Type 0 to 9999."))
    spoken = request.form.get("language") or LANGUAGE.of(host().journal)
    if spoken not in languages():
        raise BadInput(_("Choose one of the languages shown."))
    paper = request.form.get("paper", PAPER.of(host().journal))
    if paper and paper not in PAPERS:
        raise BadInput(_("Choose one of the kinds of paper shown."))
    CORRECTIONS.put(host().journal, corrections)
    LANGUAGE.put(host().journal, spoken)
    PAPER.put(host().journal, paper)
    for kind in READINGS:
        host().asking.set_accepts(kind, accepting(kind).name in request.form)
    host().set_silent("silent" in request.form)
    SLEEPS.put(host().journal, "sleeps" in request.form)
    host().learner.set_keeps("keep_corrections" in request.form)
    host().pictures.set_keeps_clips("clips" in request.form)
    host().pictures.keep_for(int(days))
    return redirect(url_for("devices.house"), 303)


@devices.post("/house/hub")
def set_hub_people() -> AnyResponse:
    """Says whether the hub may know the people of the house."""
    HUB_PEOPLE.put(host().journal, "people" in request.form)
    return redirect(url_for("devices.house"), 303)


@devices.post("/house/pictures/delete")
def delete_pictures() -> AnyResponse:
    """Deletes every picture; every game stays whole."""
    host().delete_pictures()
    return redirect(url_for("devices.house"), 303)


def guests_path(to: str | None = None) -> str:
    """Where the code on the first page leads: whoever scans it may play at every seat. `to` as in FIRST_PAGES."""
    return wall_path(Role.PLAYER, to=to)


def wall_path(role: Role, session: str | None = None, to: str | None = None) -> str:
    """The path of a wall code, "" while none can be stored."""
    try:
        token = host().access.codes.standing(role, session)
    except JournalUnusable:  # such as a full disk: the page says so and still shows everything else
        return ""
    return url_for("devices.join", token=token, to=to)
