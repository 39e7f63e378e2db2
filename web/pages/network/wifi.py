"""Choosing the table's Wi-Fi: from a phone in the table's own network, on the first evening, or by the host.

It works without a script: a phone that has just joined shows it in the small browser of its own system.
"""

from flask import Blueprint, current_app, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, NotFound
from companion.network.wifi.card import code_of
from companion.network.wifi.door import Do, Wifi
from companion.network.wifi.values import ADDRESS, LONGEST_NAME, NAME, Mode, Network, Security, State, check_choice
from companion.words import N_, _
from web.access import gate
from web.house import host
from web.pages.codes import url_of

wifi = Blueprint("wifi", __name__)

# A signal is called so from this percentage on.
STRENGTHS = (
    (67, N_("strong")),
    (34, N_("fair")),
    (0, N_("weak")),
)


def is_there() -> bool:
    """Whether somebody looks after the Wi-Fi of this machine."""
    wifi_helper: Wifi | None = current_app.extensions.get("wifi")
    return wifi_helper is not None and wifi_helper.is_there


def helper() -> Wifi:
    """Who does; raises NotFound where nobody does."""
    wifi_helper: Wifi | None = current_app.extensions.get("wifi")
    if wifi_helper is None or not wifi_helper.is_there:
        raise NotFound(_("This computer's Wi-Fi is chosen in its own settings, not here."))
    return wifi_helper


def lead_here() -> AnyResponse | None:
    """Leads a phone in the table's own Wi-Fi here that asks for a page of the Internet, as each does to see whether it
    is there; the phone then opens this page by itself."""
    if request.method not in ("GET", "HEAD") or gate.is_own_name(request.host) or not gate.is_setting_up():
        return None
    return redirect(f"{url_of(ADDRESS)}/wifi", 302)


@wifi.get("/wifi")
def page() -> str:
    """The networks that the radio heard; with `ssid` or `other` in the address the form for that one."""
    state = helper().ask(Do.TELL)
    if "other" in request.args:
        return form(state, None)
    if "ssid" not in request.args:
        return wifi_page(state)
    return form(state, heard(state, named_bytes(request.args["ssid"])))


@wifi.post("/wifi/join")
def join() -> tuple[str, int] | str:
    """Has the table try a network, and says what happens now: its own network, and so this page, goes away."""
    state = helper().ask(Do.TELL)
    chosen = heard(state, named_bytes(request.form["ssid"])) if request.form.get("ssid") else None
    ssid = chosen.ssid if chosen else request.form.get("name", "").strip().encode()
    password = request.form.get("password", "")
    if chosen and chosen.security is Security.OPEN:
        password = ""
    security = chosen.security if chosen else Security.PASSWORD if password else Security.OPEN
    try:
        check_choice(ssid, password, security)
    except BadInput as refusal:
        return form(state, chosen, str(refusal)), 400
    helper().ask(Do.JOIN, ssid, password)
    name = chosen.name if chosen else request.form.get("name", "").strip()
    return render_template("wifi_leaves.html", name=name, own=NAME, url=url_by_name(), guest=gate.is_setting_up())


@wifi.post("/wifi/listen")
def listen() -> str:
    """Has the table listen for networks, and open its own one, which is away meanwhile."""
    guest = gate.is_setting_up()
    helper().ask(Do.OPEN)
    return render_template("wifi_leaves.html", name="", own=NAME, url=f"{url_of(ADDRESS)}/wifi", guest=guest)


@wifi.post("/wifi/close")
def close() -> str:
    """Closes the table's own network, and goes back to one that it knows."""
    return wifi_page(helper().ask(Do.CLOSE), closes=True)


def wifi_page(state: State, *, closes: bool = False) -> str:
    """The page of all networks."""
    drawn = code_of(state.password).svg_inline(omitsize=True, border=3, light="#fff", dark="#000", title=NAME)
    return render_template(
        "wifi.html",
        state=state,
        closes=closes,
        is_open=state.mode is Mode.SETUP and not closes,
        has_radio=state.mode is not Mode.NO_RADIO,
        networks=[(network, strength(network), network.security) for network in state.networks],
        own=NAME,
        drawn=Markup(drawn),  # segno draws it from a password of ours.
        url=f"{url_of(ADDRESS)}/wifi",
    )


def form(state: State, chosen: Network | None, refusal: str = "") -> str:
    """The form for one network, or for one that is not in the list."""
    return render_template(
        "wifi_join.html",
        chosen=chosen,
        wants_password=chosen is None or chosen.security is not Security.OPEN,
        typed=request.form.get("name", "")[:LONGEST_NAME],
        refusal=refusal,
        is_open=state.mode is Mode.SETUP,
        own=NAME,
    )


def heard(state: State, ssid: bytes) -> Network:
    """The network of that name; raises NotFound if the radio has not heard it."""
    for network in state.networks:
        if network.ssid == ssid:
            return network
    raise NotFound(_("The table doesn't hear this Wi-Fi any more. Go back and choose from the list."))


def named_bytes(text: str) -> bytes:
    """A network's name out of an address or a form; raises BadInput if it is none."""
    try:
        return bytes.fromhex(text[: 2 * LONGEST_NAME])
    except ValueError as error:
        raise BadInput(_("This request can't be understood. Reload the page and try again.")) from error


def strength(network: Network) -> str:
    """How well it is heard, in a word."""
    return next(_(word) for least, word in STRENGTHS if network.signal >= least)


def url_by_name() -> str:
    """The URL by which the table is found in the house's network: the name it last had there, else the usual one."""
    named = (url for url in host().status.addresses if (gate.name_in(url)).endswith(".local"))
    return next(named, url_of("table.local"))
