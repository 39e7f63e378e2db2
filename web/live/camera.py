"""A phone on a stand that is one of the table's cameras: it asks, the host answers, and it sends pictures."""

import contextlib
import ipaddress
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, current_app, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.cameras.names import ABOVE, FRONT
from companion.cameras.phone import Phone, PhoneCamera
from companion.clock import monotonic_us
from companion.errors import BadInput, CameraUnavailable, GameUnreadable, NotFound
from companion.foreign import read_address
from companion.game.players import PlayerId
from companion.journal.devices import Role, device_name
from companion.words import _
from web.access import gate
from web.access.sites import is_from_here
from web.house import host

MOST_BYTES = 8_000_000  # of a picture: one of full size has some 2 MB
PART_OF_PLACE = {"above": ABOVE, "front": FRONT}  # The key stands in the address, the value in the status line.
PLACE = "<any(above, front):place>"

camera = Blueprint("camera", __name__, url_prefix="/camera")


@dataclass(frozen=True)
class CameraPhones:
    """A camera that is a phone, for a page of the host."""

    place: str
    asking: tuple[Phone, ...]
    allowed: Phone | None

    def ask_words(self, phone: Phone) -> str:
        """Who asks to be which camera."""
        label = name_of(phone)
        if self.place == "front":
            return _("{label} wants to be the front camera.", label=label)
        return _("{label} wants to be the camera above the table.", label=label)

    @property
    def is_words(self) -> str:
        """Who is which camera."""
        label = name_of(self.allowed) if self.allowed else ""
        if self.place == "front":
            return _("{label} is the front camera.", label=label)
        return _("{label} is the camera above the table.", label=label)


def name_of(phone: Phone) -> str:
    """The phone as people know it: by the player whose seat it is for, else by the house's name of the device."""
    ticket = host().access.tickets.of_device(phone.device)
    if ticket is None:
        return device_name(phone.label or Role.HOST)
    if name := sitter(ticket.session, ticket.player):
        return _("{name}'s phone", name=name)
    return device_name(ticket.label or ticket.role)


def sitter(session: str | None, player: PlayerId | None) -> str:
    """The name of the player for whose seat alone a device is, "" for none."""
    if session is None or player is None:
        return ""
    with contextlib.suppress(NotFound, GameUnreadable):  # the ticket is as good without its game
        return host().table(session).names.get(player, "")
    return ""


def phone_cameras() -> tuple[CameraPhones, ...]:
    """The table's cameras that are phones."""
    phones = host().outside.phones
    return tuple(
        CameraPhones(place, phones[part].asking, phones[part].allowed)
        for place, part in PART_OF_PLACE.items()
        if part in phones
    )


def phone_above() -> Phone | None:
    """The phone that is the camera above the table, None if it is no phone."""
    phones = host().outside.phones.get(ABOVE)
    return phones.allowed if phones else None


def unseen_words() -> str:
    """The sentence for a table that no camera sees from above, and what a phone can do; "" where one sees it."""
    if host().outside.demo is not None and phone_above() is None:
        return _("This demo uses a simulated camera. A phone can read your own dice.")
    if host().status.lines[ABOVE].state == "off":
        return _("No camera looks at your table. A phone can read the dice instead.")
    return ""


def lead_words() -> str:
    """What this table does, for the first page of somebody who has never seen it: only of parts that are there."""
    sees, has_box = (host().status.lines[part].state != "off" for part in (ABOVE, "box"))
    if sees and has_box:
        return _("The camera reads the dice, buttons stop the clock, and every tablet keeps the score.")
    if sees:
        return _("The camera reads the dice, and every tablet keeps the score.")
    if has_box:
        return _("Roll and tap in your dice. Buttons stop the clock, and every tablet keeps the score.")
    return _("Roll and tap in your dice. Every tablet keeps the score.")


def is_secure() -> bool:
    """Whether browsers give their cameras to a page at this address."""
    name = gate.name_of(request.host)
    try:
        is_own = ipaddress.ip_address(name).is_loopback
    except ValueError:
        is_own = name == "localhost" or name.endswith(".localhost")
    return request.is_secure or is_own


def secure_link() -> str:
    """The address of this page with https, "" while the table has none of its own."""
    port, name = current_app.extensions.get("secure_port"), gate.name_of(request.host)
    return f"https://{f'[{name}]' if ':' in name else name}:{port}{url_for('camera.page')}" if port else ""


@camera.post(f"/{PLACE}/ask")
def ask(place: str) -> dict[str, Any]:
    """This device asks to be the camera, or whether it is by now. The host's own device need not ask."""
    phone, phones = this_phone(), camera_at(place)
    if gate.role() is Role.HOST and phones.allowed != phone:
        phones.allow(phone)
    return {"allowed": phones.ask(phone, gate.share())}


@camera.post(f"/{PLACE}/leave")
def leave(place: str) -> dict[str, Any]:
    """This device is the camera no more, and asks no more."""
    camera_at(place).refuse(gate.device())
    return {}


@camera.post(f"/{PLACE}/picture")
def show(place: str) -> dict[str, Any]:
    """A picture of this device as JPEG; answered when the next one may come, with whether that has the full size."""
    at_us, phone = monotonic_us(), camera_at(place)
    phone.require(gate.device())  # before the picture is received
    request.max_content_length = MOST_BYTES
    content = request.get_data()
    if not content.startswith(b"\xff\xd8"):
        raise BadInput(_("The phone's picture isn't a JPEG. Open this page in another browser."))
    return {"full": phone.show(gate.device(), content, at_us, full="full" in request.args)}


@camera.post(f"/{PLACE}/answer")
def answer(place: str) -> AnyResponse:
    """The host allows a device to be the camera, or wants no pictures of it."""
    phones, device = camera_at(place), request.form.get("device", "")
    candidates = (*phones.asking, *((phones.allowed,) if phones.allowed else ()))
    meant = next((phone for phone in candidates if phone.device == device), None)
    if meant is None:
        raise NotFound(_("That phone no longer asks to be the camera. Open its camera page again."))
    if request.form.get("answer") == "allow":
        phones.allow(meant)
    else:
        phones.refuse(device)
    return redirect(came_from(), 303)


def came_from() -> str:
    """The page of ours on which the host tapped, else the first one."""
    before = request.headers.get("Referer", "")
    path = read_address(before).path if is_from_here(before) else ""
    return path if path.startswith(f"{request.script_root}/") else url_for("pages.home")


def this_phone() -> Phone:
    """The device that sends the request."""
    return Phone(gate.device(), sitter(g.visitor.session, g.visitor.player) or g.visitor.label)


def camera_at(place: str) -> PhoneCamera:
    """The camera of that place; raises CameraUnavailable if it is no phone."""
    phones = host().outside.phones.get(PART_OF_PLACE[place])
    if phones is None:
        raise CameraUnavailable(no_phone())
    return phones


def no_phone() -> str:
    """The sentence for a table that has no phone as its camera."""
    return _("This table doesn't use a phone as its camera. Start it with “companion run --camera phone”.")
