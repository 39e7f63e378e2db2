"""The vision process on the first camera, with a reader that sees no dice: networks take minutes in an emulation."""

from multiprocessing.connection import Connection

from companion.game.readings import DiceReading
from tests.picamera import as_here
from vision.process import main
from vision.process.isolation import leave_network

EMULATED_S = 180.0  # to import picamera2 and to open a camera, where the processor is emulated


def watch(connection: Connection) -> None:
    """What the supervisor starts: without a network, as the service has it."""
    as_here.put_in_place()
    main.OPEN_S = EMULATED_S
    assert leave_network()
    main.watch_forever(connection, "picamera0", load_reader=lambda _scene, _watching: nothing)


def nothing(bgr):
    return DiceReading(bgr.shape[1], bgr.shape[0], ())
