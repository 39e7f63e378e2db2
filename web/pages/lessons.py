"""What people tell the camera: whose dice are which, from its last look, and what the house keeps to learn from."""

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
    """Every die of the last look, to be touched, and the players to say whose they are."""
    return render_template("colours.html", **colours_context(host().table(session)))


def colours_context(table: Table, refusal: str = "") -> Mapping[str, object]:
    """What the page shows; after a refusal with what was chosen on it before."""
    camera, seen = host().outside.camera_set_up, host().looks.dice_seen(table.session.id)
    colours = teachable(table)
    scene = camera.scene() if camera else {}
    return {
        "table": table,
        "marks": host().marks(table),
        "seen": seen,
        "look": seen.look if seen else "",
        "owners": [(player, table.names.get(player) or _("somebody"), colour) for player, colour in colours.items()],
        "paints": paints(camera, None),
        "said": [colour for colour in colours.values() if said_of(scene, colour).lessons],
        "told": what_was_done(tuple(colours.values())),
        "refusal": refusal,
        "touched": touched_before(seen),
        "chosen": request.form.get("colour", ""),
    }


def teachable(table: Table) -> Mapping[PlayerId, str]:
    """Whose dice whoever asks may name, with their colours: the host anybody's, a ticket for one seat that seat's.

    Raises NotAllowed for a player of a game that does not have the table: what is said here changes how it is read.
    """
    colours, own = table.game.colours(table.state), g.visitor.player
    if g.visitor.role is Role.HOST:
        return colours
    if host().active.session != table.session.id:
        raise NotAllowed(_("This game does not have the table: go on with it first, then say whose dice are which."))
    return {player: colour for player, colour in colours.items() if own in (None, player)}


def what_was_done(colours: tuple[str, ...]) -> str:
    """What the page that led here did, in a sentence; "" when it did nothing."""
    colour = request.args.get("colour", "")
    if colour not in colours:
        return ""
    match request.args.get("done"):
        case "moved":
            return _("Dice like these are {colour} from now on.", colour=_(colour))
        case "kept":
            return _(
                "That is kept in mind: a colour that is known follows two dice, so touch one more when it lies there."
            )
        case "back":
            return _("Taken back: {colour}.", colour=_(colour))
    return ""


@lessons.get("/s/<id:session>/colours/<seq:die>.jpg")
def die_picture(session: str, die: int) -> Response:
    """One die of the last look, from 1 at the left; in memory alone."""
    seen = looked_at(session)
    if die > len(seen.jpegs):
        raise NotFound(_("The camera has looked again since: load the page again."))
    answer = Response(seen.jpegs[die - 1], mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "no-store"
    return answer


@lessons.post("/s/<id:session>/colours")
def teach(session: str) -> AnyResponse | tuple[str, int]:
    """These dice are of this colour; what lies on the table is read again by it.

    What is missing is said on the page itself, which keeps what was chosen there.
    """
    table, camera, seen = host().table(session), camera_here(), looked_at(session)
    try:
        colour, bodies = checked_colour(table), touched(seen)
    except BadInput as refusal:
        return render_template("colours.html", **colours_context(table, str(refusal))), 400
    before = paints(camera, None).get(colour)
    camera.teach(colour, seen.look, bodies, anew=seen.seq == table.seq)
    done = "kept" if paints(camera, None).get(colour) == before else "moved"
    return redirect(url_for("lessons.colours_page", session=session, colour=colour, done=done), 303)


@lessons.post("/s/<id:session>/colours/back")
def take_back(session: str) -> AnyResponse:
    """What was last said of a colour counts no more."""
    colour = checked_colour(host().table(session))
    camera_here().take_back(colour)
    return redirect(url_for("lessons.colours_page", session=session, colour=colour, done="back"), 303)


def camera_here() -> CameraSetUp:
    """What keeps the colours; raises CameraUnavailable for a table without a camera over it."""
    found = host().outside.camera_set_up
    if found is None:
        raise CameraUnavailable(_("This table has no camera over it: start it with one, see “companion run --help”."))
    return found


def looked_at(session: str) -> DiceSeen:
    """The dice of the last look at a game's table; raises NotFound when there are none."""
    seen = host().looks.dice_seen(session)
    if seen is None:
        raise NotFound(_("The camera has seen no dice in this game yet: roll, then come back."))
    return seen


def checked_colour(table: Table) -> str:
    """The colour that was chosen; raises BadInput for one that nobody plays, NotAllowed for another seat's."""
    colour, allowed = request.form.get("colour", ""), teachable(table)
    if colour not in allowed.values():
        for player, theirs in table.game.colours(table.state).items():
            if theirs == colour:
                required_for({player})
        raise BadInput(_("Choose whose dice these are."))
    return colour


def touched(seen: DiceSeen) -> Mapping[int, RGB]:
    """The bodies of the dice that were chosen, by their places from 1 at the left.

    Raises BadInput for none, and for those of an older look.
    """
    chosen = request.form.getlist("die")
    if request.form.get("look") != seen.look:
        raise BadInput(_("The camera has looked again since: load the page again."))
    bodies = {
        place: die.body_rgb
        for place, die in enumerate(seen.dice, 1)
        if str(place) in chosen and die.body_rgb is not None
    }
    if not bodies:
        raise BadInput(_("Touch the dice first, then say whose they are."))
    return bodies


def touched_before(seen: DiceSeen | None) -> list[str]:
    """The dice that were chosen when this look was shown; those of an older look were others."""
    is_this_look = seen is not None and request.form.get("look") == seen.look
    return request.form.getlist("die") if is_this_look else []


# what the house keeps of it


@lessons.get("/house/learned.zip")
def export() -> Response:
    """Every picture that was kept, with what people said it shows."""
    if not host().learner.kept:
        raise NotFound(_("No picture of a die was kept to learn from."))
    answer = Response(host().learner.lessons.exported(), mimetype="application/zip")
    answer.headers["Content-Disposition"] = 'attachment; filename="dice-of-this-table.zip"'
    answer.headers["Cache-Control"] = "no-store"
    return answer


@lessons.post("/house/learned/delete")
def delete() -> AnyResponse:
    """Nothing that was kept to learn from is kept any more."""
    host().learner.delete_all()
    return redirect(url_for("devices.house"), 303)
