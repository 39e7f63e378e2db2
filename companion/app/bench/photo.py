"""`companion bench photo`: from a photo's upload to its entry, in a real service without a camera, by megapixels and
by what it shows.
"""

import http.client
import json
import time
from pathlib import Path
from typing import Any

import cv2

from companion.app.bench.apart import Service, service_apart
from companion.app.bench.figures import Figure, Wanted
from companion.app.bench.screens import GAME, PLAYERS
from companion.demo.things import TableDie, TablePiece, VirtualTable
from companion.errors import BadInput
from companion.foreign import read_json
from companion.game.readings import Kind
from companion.shelf import GAMES
from companion.table.presets import chosen_options
from vision.virtual.camera import VirtualCamera

MEGAPIXELS = (1.2, 5.0, 12.0, 24.0, 48.0)
TIMES = 5  # The slowest photo of each size counts.
WANTED = Wanted(2.0, at_most=True)  # The goal is for 12 megapixels, with one core for the reader.
WAIT_S = 120.0
DICE = VirtualTable(dice=(TableDie("a", 3, 110.0, 90.0, 20.0), TableDie("b", 5, 210.0, 140.0, 70.0)))
CARD = VirtualTable(card=12, mat="towers")  # A card is asked about, so its time is that to the question.
# Nobody taught its colour, so it is asked about.
PIECE = VirtualTable(mat="board", board_n=7, pieces=(TablePiece(2, 1, "white"),))
ASKED_MEGAPIXELS = (1.2, 12.0)


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Seconds, and the memory of the process that reads; labels and pictures play no part."""
    rows = []
    with service_apart("--camera", "none") as service:
        port = service.port
        first_s = answer_s(port, photo_of(DICE, MEGAPIXELS[0]))
        rows.append(Figure("photo to entry", "the first one, which starts the reader", value=first_s, unit="s"))
        for size in MEGAPIXELS:
            photo = photo_of(DICE, size)
            slowest_s = max(answer_s(port, photo) for _ in range(TIMES))
            wanted = WANTED if size == 12.0 else None
            group = f"dice, {size:g} megapixels, {len(photo) / 1e6:.1f} MB"
            rows.append(Figure("photo to entry", group, value=slowest_s, unit="s", wanted=wanted))
        for what, table, game in (("a card", CARD, first_of(Kind.CARD)), ("a board", PIECE, first_of(Kind.BOARD))):
            for size in ASKED_MEGAPIXELS:
                photo = photo_of(table, size)
                slowest_s = max(answer_s(port, photo, game) for _ in range(TIMES))
                group = f"{what}, {size:g} megapixels, {len(photo) / 1e6:.1f} MB"
                rows.append(Figure("photo to question", group, value=slowest_s, unit="s"))
        readers = [Service(port, child) for child in service.children()]
        memory = max(float(reader.memory_mb()) for reader in readers)
        rows.append(Figure("memory of the reader", "in the end", value=memory, unit="MB"))
    return rows


def first_of(kind: Kind) -> str:
    """The first game that begins with what the camera sees of this kind."""
    for name, game in GAMES.items():
        state = game.rules.start(chosen_options(game, {}, "")[0], PLAYERS)
        if game.sight.eyes(state).above is kind:
            return name
    raise RuntimeError(f"no game begins with a {kind}")


def photo_of(table: VirtualTable, megapixels: float) -> bytes:
    """A JPEG of a table from above, so large."""
    with VirtualCamera(table, wait=lambda _seconds: None) as camera:
        frame_bgr = next(iter(camera.frames())).bgr
    larger = (megapixels * 1e6 / (frame_bgr.shape[0] * frame_bgr.shape[1])) ** 0.5
    larger_bgr = cv2.resize(frame_bgr, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC)
    return cv2.imencode(".jpg", larger_bgr, (cv2.IMWRITE_JPEG_QUALITY, 92))[1].tobytes()


def answer_s(port: int, photo: bytes, of_game: str = GAME) -> float:
    """Seconds from the first byte of the photo to the answer that names its entry or question, in a game of its own."""
    game = call(port, "/api/sessions", {"game": of_game, "players": PLAYERS})["id"]
    began_s = time.monotonic()
    answer = call(port, f"/api/sessions/{game}/photo?event_id=p1&seen_seq=0", photo)
    if answer != {"entered": 1} and (of_game == GAME or "proposal" not in answer):
        raise BadInput(f"The photo was not entered ({answer}): measure again on a quieter machine.")
    return time.monotonic() - began_s


def call(port: int, path: str, body: Any) -> Any:
    """The JSON answer to a POST of a photo, or of a value as JSON."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    is_photo = isinstance(body, bytes)
    content = body if is_photo else json.dumps(body)
    line.request("POST", path, content, {"Content-Type": "image/jpeg" if is_photo else "application/json"})
    try:
        return read_json(line.getresponse().read())
    finally:
        line.close()
