"""What cameras bring is told in English, by threads that have no reader, and kept: all of it becomes German."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from companion import words
from companion.errors import CompanionError
from companion.game.box import Device
from companion.game.players import Viewer
from companion.game.readings import CardReading, DiceReading, DieReading, Kind, StackReading, StacksReading, Watching
from companion.game.seeing import Proposed, Remark
from companion.games.maxstax import camera as maxstax
from companion.games.sandpile_panic import advice, wording
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import camera as sandpile
from companion.games.sandpile_panic.events import Placed, Topple, ToppledRest, Turned
from companion.games.stack_dice import camera as stack
from companion.games.stack_dice.events import Stacked
from companion.games.stack_dice.wording import describe
from companion.network.certificate import openssl
from companion.words import _, joined, listed, retold
from firmware.plan import check_plan, plan_from, usual_plan
from tests.games.test_maxstax_camera import played, space
from tests.games.test_sandpile_camera import BEFORE, position
from tests.games.test_sandpile_camera import seen as seen_board
from tests.games.test_stack_dice import fresh
from tests.games.test_stack_dice_camera import STANDING
from tests.games.test_stack_dice_camera import seen as seen_stacks
from vision.board import play
from vision.board.reader import read_board
from vision.calibration import front_checks, mat_checks
from vision.calibration.look_at_mat import Calibration
from vision.cameras.camera import Frame
from vision.scene.lenses import LENSES
from vision.scene.scene import Board, Piece, Scene
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Lookout

CALIBRATED_NOWHERE = Scene(
    colour_rgb={"red": (190.0, 20.0, 30.0)}, board=Board(6, 24.0, ((0.0, 0.0, 0.0),) * 4), piece=Piece(20.0, 5.0)
)
TOPPLES = (Topple("r3c3", boards.Side.NORTH), Topple("r3c4", boards.Side.EAST))


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    words.speak(words.ENGLISH)


def dice(*bodies: str | None) -> DiceReading:
    """Dice of these colours, from left to right."""
    places = enumerate(bodies, start=1)
    found = (DieReading(4, 50 * at, 50, 20, 20, 0, body, 0.99, True, ((4, 0.99),)) for at, body in places)
    return DiceReading(1280, 960, tuple(found))


def text(said: object) -> str:
    """The sentence of a question or a remark."""
    assert isinstance(said, Remark | Proposed)
    return said.text if isinstance(said, Remark) else said.note


def stacks_fell() -> str:
    flat = tuple(StackReading(each.top, 1, True, (), 0, 0) for each in seen_stacks(STANDING).stacks)
    return text(stack.propose(STANDING, StacksReading(1280, 960, flat)))


def board_unexplained() -> str:
    """The board after a turn, but for one piece of the wrong colour."""
    after = boards.tops(advice.outcomes(position(BEFORE), Placed("A", "r3c3")).endings[0].state.board)
    return text(sandpile.propose(position(BEFORE), seen_board(BEFORE, *after.items(), ("r4c4", "W"))))


def card_seen() -> str:
    """The first look at a card of our deck, which has a name."""
    game, state = played("speedstax")
    return text(game.sight.propose(state, CardReading(640, 480, 7, "Low gate", 0.99, True)))


def lens() -> str:
    webcam = LENSES["webcam"]
    return Calibration("webcam")._camera(np.zeros((480, 640, 3), np.uint8), webcam)[1].text


def scene_lacks_the_camera() -> str:
    def load(_watching: Watching) -> Callable[[np.ndarray], object]:
        return lambda frame_bgr: read_board(frame_bgr, CALIBRATED_NOWHERE)

    lookout = Lookout(load, KnownTable(), live=True)
    lookout.want(Watching(Kind.BOARD), 0)
    lookout.feed(Frame(np.zeros((48, 64, 3), np.uint8), 0, 0), lambda frame: frame)
    return lookout.lack


def refused(act: Callable[[], object]) -> str:
    """Why something could not be done."""
    with pytest.raises(CompanionError) as refusal:
        act()
    return refusal.value.sentence


def wired(**changed: object) -> str:
    """Why a box with such a plan cannot be had."""
    return refused(lambda: check_plan(replace(usual_plan(2), **changed)))


def certificate_without_openssl() -> str:
    with pytest.MonkeyPatch.context() as machine:
        machine.setattr("companion.network.certificate.shutil.which", lambda _name: None)
        return refused(lambda: openssl("version"))


@pytest.mark.parametrize(
    ("kept", "german"),
    [
        (lambda: joined([_("red"), "5", _("blue")], " / "), "rot / 5 / blau"),
        (lambda: listed([_("red"), _("blue"), _("green")]), "rot, blau und grün"),
        (lambda: listed([_("red")]), "rot"),
        (
            lambda: text(stack.start_roll(fresh(), dice("red", "red"))),
            "einen Würfel in einer dieser Farben: rot, blau.",
        ),
        (lambda: text(stack.start_roll(fresh(), dice("white", "white"))), "Von links nach rechts: rot, blau."),
        (lambda: text(stack.drop(fresh(), dice(*["red"] * 15))), "15 rot, 0 blau"),
        (
            lambda: describe(fresh(), Stacked("B", "B-1", "R-1"), Viewer(None, {"B": "Bob"})),
            "Bob setzte die unbekannte Zahl (blau) auf die unbekannte Zahl (rot).",
        ),
        (stacks_fell, "blau 3 auf 2 Würfeln, blau 4 auf 1 Würfel"),
        (
            lambda: wording.play_label(Turned("A", "r3c3", topples=TOPPLES)),
            "Reihe 3 Spalte 3 Norden, Reihe 3 Spalte 4 Osten",
        ),
        (lambda: wording.play_label(ToppledRest("A", TOPPLES)), "Reihe 3 Spalte 3 Norden, Reihe 3 Spalte 4 Osten"),
        (board_unexplained, "mit Reihe 4 Spalte 4 schwarz"),
        (card_seen, "Die Kamera sieht Niedriges Tor."),
        (lambda: maxstax.space_sentence(space(1, _("level {level} is missing", level=2))), "Ebene 2 fehlt"),
        (lambda: play.no_play_words(((0, 1), (2, 3)), (), 5), "Reihe 1 Spalte 2, Reihe 3 Spalte 4"),
        (lambda: mat_checks.check_fit(0.14).text, "auf 0,1 mm genau"),
        (
            lambda: mat_checks.check_size(30.0, (1280, 720)).text,
            "Das Bild hat 1280 × 720 Pixel, und ein Würfel ist 30 davon breit. Häng die Kamera tiefer. ",
        ),
        (
            lambda: front_checks.check_block(20.0).text,
            "Die mittlere Kante eines Klotzes ist 20 Pixel breit. Rückt die Kamera näher heran. ",
        ),
        (scene_lacks_the_camera, "Die Szene hat keine Kamera. Kalibriere den Tisch, die Seite schreibt sie."),
        (lambda: wired(buttons=((Device.START, 17),)), "für den Taster von Platz 1 und für den Starttaster genannt"),
        (lambda: wired(buttons=((Device.UNDO, 1),)), "GPIO 1 für den Rückgängig-Taster"),
        (lambda: wired(buttons=((Device.CONFIRM, 1),)), "GPIO 1 für den Bestätigen-Taster"),
        (lambda: refused(lambda: plan_from({"seat": [{"pin": 1}]})), "[[seat]] Nummer 1"),
        (certificate_without_openssl, "Hier fehlt openssl"),
        (lens, "Als Objektiv wird angenommen: USB-Kamera. Um es zu vermessen, "),
    ],
)
def test_it_is_told_again_as_if_told_in_german_at_once(kept: Callable[[], str], german: str):
    told = kept()
    words.speak("de")
    assert german in retold(told)
    assert retold(told) == kept()
    words.speak("en")
    assert retold(retold(told)) == told
