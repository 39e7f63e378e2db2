"""Teaching the camera: whose dice are which, from its last look; and what the house keeps to learn from."""

from collections.abc import Mapping

from flask import Blueprint, Response, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.cameras.dice_colours import said_of
from companion.cameras.set_up import CameraSetUp
from companion.errors import BadInput, CameraUnavailable, NotAllowed, NotFound
from companion.game.players import PlayerId
from companion.journal.devices import Role
from companion.sensing.dice_seen import DiceSeen
from companion.sensing.strictness import RGB
from companion.table.table import Table
from companion.words import _
from web.access.rights import required_for
from web.house import host
from web.pages.calibrate import paints

lessons = Blueprint("lessons", __name__)


# whose dice are which


@lessons.get("/s/<id:session>/colours")
def colours_page(session: str) -> str:
    """The dice of the last look, to be touched, and the players whose they may be."""
    return render_template("colours.html", **colours_context(host().table(session)))


def colours_context(table: Table, refusal: str = "") -> Mapping[str, object]:
    """The values for the page; after a refusal with the earlier choices."""
    camera, dice = host().outside.camera_set_up, host().looks.dice_seen(table.session.id)
    colours = teachable(table)
    scene = camera.scene() if camera else {}
    return {
        "table": table,
        "marks": host().marks(table),
        "seen": dice,
        "look": dice.look if dice else "",
        "owners": [(player, table.names.get(player) or _("somebody"), colour) for player, colour in colours.items()],
        "paints": paints(camera, None),
        "said": [colour for colour in colours.values() if said_of(scene, colour).lessons],
        "told": what_was_done(tuple(colours.values())),
        "refusal": refusal,
        "touched": touched_before(dice),
        "chosen": request.form.get("colour", ""),
    }


def teachable(table: Table) -> Mapping[PlayerId, str]:
    """Player → colour of their dice, for those that the visitor may teach: the host all, a ticket for one seat only
    that.

    Raises NotAllowed for a player of a game that is not active: teaching changes how the table is read.
    """
    colours, own = table.game.rules.colours(table.state), g.visitor.player
    if g.visitor.role is Role.HOST:
        return colours
    if host().active.session != table.session.id:
        raise NotAllowed(
            _("This game isn't using the table. Open it on the table first, then say whose dice are which.")
        )
    return {player: colour for player, colour in colours.items() if own in (None, player)}


def what_was_done(colours: tuple[str, ...]) -> str:
    """A sentence on what the post before did, "" if there was none."""
    colour = request.args.get("colour", "")
    if colour not in colours:
        return ""
    match request.args.get("done"):
        case "moved":
            return _("Dice like these are {colour} from now on.", colour=_(colour))
        case "kept":
            return _("Noted. To change a known colour, touch one more of these dice when it's on the table.")
        case "back":
            return _("Taken back: {colour}.", colour=_(colour))
    return ""


@lessons.get("/s/<id:session>/colours/<seq:die>.jpg")
def die_picture(session: str, die: int) -> Response:
    """The picture of one die of the last look, 1 at the left. Kept in memory only."""
    dice = looked_at(session)
    if die > len(dice.jpegs):
        raise NotFound(_("The camera has looked again since then. Reload the page."))
    answer = Response(dice.jpegs[die - 1], mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "no-store"
    return answer


@lessons.post("/s/<id:session>/colours")
def teach(session: str) -> AnyResponse | tuple[str, int]:
    """Teaches the colour of these dice; what lies on the table is then read again.

    A refusal shows the page again, with the choices made there.
    """
    table, camera, dice = host().table(session), camera_here(), looked_at(session)
    try:
        colour, bodies = checked_colour(table), touched(dice)
    except BadInput as refusal:
        return render_template("colours.html", **colours_context(table, str(refusal))), 400
    before = paints(camera, None).get(colour)
    camera.teach(colour, dice.look, bodies, anew=dice.seq == table.seq)
    done = "kept" if paints(camera, None).get(colour) == before else "moved"
    return redirect(url_for("lessons.colours_page", session=session, colour=colour, done=done), 303)


@lessons.post("/s/<id:session>/colours/back")
def take_back(session: str) -> AnyResponse:
    """Takes back the newest lesson about a colour."""
    colour = checked_colour(host().table(session))
    camera_here().take_back(colour)
    return redirect(url_for("lessons.colours_page", session=session, colour=colour, done="back"), 303)


def camera_here() -> CameraSetUp:
    """The set-up of the camera above, which keeps the colours; raises CameraUnavailable if there is none."""
    camera = host().outside.camera_set_up
    if camera is None:
        raise CameraUnavailable(
            _("This table has no camera above it. To start it with one, see “companion run --help”.")
        )
    return camera


def looked_at(session: str) -> DiceSeen:
    """The dice of the last look at a game's table; raises NotFound when there are none."""
    dice = host().looks.dice_seen(session)
    if dice is None:
        raise NotFound(_("The camera has seen no dice in this game yet. Roll, then come back."))
    return dice


def checked_colour(table: Table) -> str:
    """The chosen colour; raises BadInput for one that nobody plays, NotAllowed for another seat's."""
    colour, allowed = request.form.get("colour", ""), teachable(table)
    if colour not in allowed.values():
        for player, theirs in table.game.rules.colours(table.state).items():
            if theirs == colour:
                required_for({player})
        raise BadInput(_("Choose whose dice these are."))
    return colour


def touched(dice: DiceSeen) -> Mapping[int, RGB]:
    """Place (1 at the left) → body of the chosen dice.

    Raises BadInput for none, and for an older look.
    """
    chosen = request.form.getlist("die")
    if request.form.get("look") != dice.look:
        raise BadInput(_("The camera has looked again since then. Reload the page."))
    bodies = {
        place: die.body_rgb
        for place, die in enumerate(dice.dice, 1)
        if str(place) in chosen and die.body_rgb is not None
    }
    if not bodies:
        raise BadInput(_("Touch the dice first, then say whose they are."))
    return bodies


def touched_before(dice: DiceSeen | None) -> list[str]:
    """The places of the chosen dice if they belong to this look, else none."""
    is_this_look = dice is not None and request.form.get("look") == dice.look
    return request.form.getlist("die") if is_this_look else []


# what the house keeps


@lessons.get("/house/learned.zip")
def export() -> Response:
    """A zip of all pictures kept to learn from, with what people said they show."""
    if not host().learner.kept:
        raise NotFound(_("No photos of dice were kept to learn from."))
    answer = Response(host().learner.lessons.exported(), mimetype="application/zip")
    answer.headers["Content-Disposition"] = 'attachment; filename="dice-of-this-table.zip"'
    answer.headers["Cache-Control"] = "no-store"
    return answer


@lessons.post("/house/learned/delete")
def delete() -> AnyResponse:
    """Deletes everything that was kept to learn from."""
    host().learner.delete_all()
    return redirect(url_for("devices.house"), 303)
