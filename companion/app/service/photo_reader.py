"""Reading photos that people take: in a process of its own, which runs only while photos come in."""

import queue
import secrets
import threading
from collections.abc import Callable

from companion.app.service.plan import Plan
from companion.app.service.supervisor import Supervisor
from companion.cameras.set_up import FRONT_SCENE, SCENE
from companion.errors import BadInput, CameraUnavailable, CornersWanted
from companion.game.readings import EncodePhoto, PhotoEncoded, PhotoRead, PhotoUse, ReadPhoto, Settled, Watching
from companion.periodic import PeriodicThread
from companion.words import _

TARGET = "vision.process.photos:read_photos_without_network"
ANSWER_S = 90.0  # The process has to start, and has limits of its own.
IDLE_S = 120.0  # The process then ends, as it holds networks of some 150 MB.


class PhotoReader:
    """Reads one photo at a time, in the order in which they come. Thread-safe."""

    def __init__(self, plan: Plan) -> None:
        self._scenes = (plan.data / SCENE, plan.data / FRONT_SCENE)
        self._turn = threading.Lock()
        self._process: Supervisor | None = None
        self._token = ""  # It names the photo that is being read.
        # Texts say why the process is down.
        self._answers: queue.SimpleQueue[PhotoRead | PhotoEncoded | str] = queue.SimpleQueue()
        self._idle: PeriodicThread | None = None

    def read(self, content: bytes, watching: Watching, taken_us: int) -> Settled:
        """The reading of a photo, as if the table had come to rest in it.

        Raises BadInput for what is no photo or cannot be read, as CornersWanted for a board whose corners nobody has
        tapped, and CameraUnavailable when the process fails.
        """
        answer = self._ask(lambda token: ReadPhoto(token, content, watching, taken_us))
        assert isinstance(answer, PhotoRead)
        if answer.settled is None:
            raise (CornersWanted if answer.wants_corners else BadInput)(answer.sentence)
        return answer.settled

    def encode(self, content: bytes, use: PhotoUse) -> bytes:
        """The JPEG of a photo for its use, and nothing else; raises BadInput and CameraUnavailable as `read` does."""
        answer = self._ask(lambda token: EncodePhoto(token, content, use))
        assert isinstance(answer, PhotoEncoded)
        if not answer.jpeg:
            raise BadInput(answer.sentence)
        return answer.jpeg

    def stop(self) -> None:
        with self._turn:
            self._end()

    def _ask(self, command: Callable[[str], ReadPhoto | EncodePhoto]) -> PhotoRead | PhotoEncoded:
        """The answer to a command with a new token."""
        with self._turn:
            if self._idle is not None:
                self._idle.stop()
            if self._process is None:
                self._process = Supervisor(TARGET, self._scenes, self._hear, self._hear_status, name="photo")
                self._process.start()
            while not self._answers.empty():  # The process was down when nobody had asked.
                self._answers.get()
            self._token = secrets.token_hex(8)
            self._process.send_each(command(self._token))
            try:
                return self._answer()
            finally:
                self._idle = PeriodicThread("photos", self._end_if_idle, first_s=IDLE_S)
                self._idle.start()

    def _answer(self) -> PhotoRead | PhotoEncoded:
        while True:
            try:
                answer = self._answers.get(timeout=ANSWER_S)
            except queue.Empty:
                self._end()
                raise CameraUnavailable(_("The photo couldn't be read in time. Try again, or tap.")) from None
            if isinstance(answer, str):
                raise CameraUnavailable(answer)
            if answer.token == self._token:
                return answer  # All others were given up.

    def _end_if_idle(self) -> None:
        if self._turn.acquire(blocking=False):  # Whoever reads a photo waits for this thread, and begins another.
            try:
                self._end()
            finally:
                self._turn.release()

    def _end(self) -> None:
        if self._idle is not None:
            self._idle.stop()
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _hear(self, message: object) -> None:
        if isinstance(message, PhotoRead | PhotoEncoded):
            self._answers.put(message)

    def _hear_status(self, _name: str, state: str, text: str) -> None:
        """Takes a status of the process: one that is down reads nothing any more."""
        if state == "down":
            self._answers.put(text)
