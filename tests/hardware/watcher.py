"""The vision process on the first camera, with a reader that sees no dice: networks take minutes in an emulation."""

from multiprocessing.connection import Connection

from companion.game.readings import DiceReading
from vision.process.main import watch_forever


def watch(connection: Connection) -> None:
    """What the supervisor starts."""
    watch_forever(connection, "0", load_reader=lambda _scene, _watching: nothing)


def nothing(bgr):
    return DiceReading(bgr.shape[1], bgr.shape[0], ())
