"""Looks at each frame of one open camera, and sends what the service wants to know of it."""

from collections.abc import Iterator

from companion.clock import monotonic_us
from companion.demo.things import VirtualTable
from companion.errors import BadInput, CameraUnavailable
from companion.game.readings import Glance, Glanced, Photo, Photograph, Stirred, Strictness
from companion.game.readings.deck import LookAtCard, UseDeck
from companion.game.readings.mat import LookAtMat, UseScene
from companion.sensing.process_messages import KeepClips, Sleep, Status
from companion.words import _
from vision.cameras.camera import Camera, Frame
from vision.cameras.health import Health
from vision.cameras.network import NetworkCamera
from vision.cameras.pictures import as_jpeg, reduced
from vision.process.doze import Doze
from vision.process.focus_keeper import FocusKeeper
from vision.process.light_keeper import LightKeeper
from vision.process.pace import time_limit_s
from vision.process.service_pipe import ServicePipe
from vision.process.set_up_watch import SetUpWatch
from vision.process.spare_memory import give_back
from vision.virtual.camera import VirtualCamera
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Lookout, is_bought, needs_colours

OPEN_S = 20.0  # A camera is open and gives its first picture within this: OpenCV itself waits 10 s for one.
FRAME_S = 2.0  # The next frame of a live camera comes within this.
NETWORK_S = 8.0  # In the network it may take longer: the fetcher itself says after 3 s that nothing comes.
FILE_S = 20.0  # The next frame of a recording may be a large photograph, on the smallest Pi or from a slow share.
READ_S = 20.0  # The smallest Pi reads one frame within this.
LOAD_S = 60.0  # Networks are loaded within this.
LATEST_GLANCE_US = 1_000_000  # A glance waits so long for a frame taken after the press; then any frame will do.
MOST_BROKEN = 20  # A few pictures in a row that cannot be decoded are a weak Wi-Fi or a bad cable.
SEES = Status("ok", _("The camera sees the table."))


class Observer:
    """Watches one camera from its opening until it is gone; what outlives that comes from outside."""

    def __init__(self, camera: Camera, lookout: Lookout, pipe: ServicePipe, health: Health, table: KnownTable) -> None:
        self._camera = camera
        self._lookout = lookout
        self._pipe = pipe
        self._health = health
        self._table = table
        self._set_up = SetUpWatch(camera)
        self._focus, self._light = FocusKeeper(camera), LightKeeper(camera)
        self._doze = Doze()
        self._is_well = False  # The last picture was sound.

    def frames(self) -> Iterator[None]:
        """Opens the camera and watches its frames until it has none or shall sleep; yields after each, also one that is
        dozed over."""
        camera, pipe, broken = self._camera, self._pipe, 0
        with camera:
            self._health.opened()
            pipe.receive()
            self._apply_commands()
            pipe.expect(OPEN_S, _("The camera won't open."), is_opening=True)
            too_slow, too_late = _("A picture couldn't be read in time."), _("The camera has stopped sending pictures.")
            read_s, next_s = time_limit_s(READ_S), frame_s(camera)
            for newest in camera.frames():
                pipe.expect(read_s, too_slow)
                dozed, due = self._doze.is_on, self._doze.due(newest, is_quiet=self._is_quiet())
                camera.doze(self._doze.is_on)
                if self._doze.is_on and not dozed:
                    give_back()
                del newest
                while due:
                    broken = 0 if due[0].is_whole else broken + 1
                    if broken == MOST_BROKEN:
                        raise CameraUnavailable(camera.broken)
                    self._is_well = not broken and self._watch(due[0])
                    del due[0]  # Its memory is free before the next one.
                yield
                pipe.receive()
                if pipe.has_news or not self._doze.is_on:
                    self._apply_commands()
                if sleeps(pipe) and camera.live:
                    return
                pipe.expect(next_s, too_late)

    def _is_quiet(self) -> bool:
        """Whether nothing but a change on the table is waited for."""
        is_asked = self._pipe.has_errands or self._set_up.is_on(self._now_us())
        return self._camera.live and self._is_well and self._lookout.is_quiet and not is_asked

    def _now_us(self) -> int:
        return monotonic_us() + self._pipe.offset_us

    def _watch(self, frame: Frame) -> bool:
        """Watches one frame and sends what is found; returns whether it is a sound picture."""
        camera, lookout, pipe, health, table = self._camera, self._lookout, self._pipe, self._health, self._table
        self._apply_scene()  # It may have come while waiting for the camera.
        trouble = health.trouble(frame) if camera.live else ""
        now_us = self._now_us()
        sets_up = self._set_up.is_on(now_us)
        is_read = health.sees_colours or not needs_colours(pipe.watching)
        if is_read and not trouble and not health.is_blind and not sets_up:
            self._send_findings(frame)
        self._focus.follow(lookout.sharpness, sets_up=sets_up, is_set_up=table.is_set_up)
        is_well = not trouble and not health.is_blind and health.sees_colours
        self._light.follow(frame, is_wanted=is_well and pipe.watching.kind is not None and not sets_up)
        flaw = health.cast or lookout.disturbance or camera.flaw
        missing = flaw or table.defect or table.trouble or lookout.lack or lookout.hint
        sees = Status("note", lookout.note) if lookout.note else SEES
        pipe.report(Status("down", trouble) if trouble else Status("warn", missing) if missing else sees)
        if self._set_up.is_due(now_us):
            pipe.send(self._set_up.look(camera.full(frame).bgr, table, now_us))
        if not pipe.awaits(Glance) and not sets_up and (clip := lookout.clips.make()):
            pipe.send(clip)
        if pipe.take(Photograph):
            pipe.send(Photo(as_jpeg(reduced(table.only_mat(camera.full(frame).bgr)))))
        return is_well

    def _send_findings(self, frame: Frame) -> None:
        """Sends what a frame shows: glances asked for, a table that has come to rest, or one that moves again."""
        camera, lookout, pipe, now_us = self._camera, self._lookout, self._pipe, monotonic_us()

        def is_due(since_us: int) -> bool:
            return not camera.live or frame.at_us >= since_us or now_us - since_us > LATEST_GLANCE_US

        for glance in pipe.take(Glance, is_due):
            settled = lookout.glance(frame, camera.full)
            if settled is not None:
                pipe.send(Glanced(glance.token, settled))
        was_at_rest = lookout.is_at_rest
        settled = lookout.feed(frame, camera.full)
        if was_at_rest and not lookout.is_at_rest:
            pipe.send(Stirred())
        if settled is not None:
            pipe.send(settled)

    def _apply_commands(self) -> None:
        """Applies the commands that have come."""
        camera, lookout, pipe, table = self._camera, self._lookout, self._pipe, self._table
        pipe.has_news = False
        self._set_up.want(pipe.newest(LookAtMat | LookAtCard, None))
        table.strictness = pipe.newest(Strictness, Strictness()).times
        lookout.clips.keep(pipe.newest(KeepClips, KeepClips()).wanted)
        self._apply_scene()
        apply_deck(pipe, lookout, table)
        pipe.expect(time_limit_s(LOAD_S), _("The reader won't start."))
        lookout.want(pipe.watching, pipe.offset_us)
        if isinstance(camera, VirtualCamera):
            camera.offset_us, camera.asked_us = pipe.offset_us, pipe.came_us
            before, camera.table = camera.table, pipe.newest(VirtualTable, camera.table)
            if camera.scene_key(before) != camera.scene_key(camera.table):
                table.use_drawn(camera.scene())
                lookout.restart()

    def _apply_scene(self) -> None:
        """Applies a new scene, so only what is on its mat leaves this process.

        A damaged scene is reported, and the next good one replaces it.
        """
        for scene in self._pipe.take(UseScene)[-1:]:
            try:
                self._table.use(scene.scene)
            except BadInput:  # The last scene stays in use.
                return
            if isinstance(self._camera, VirtualCamera):
                self._table.use_drawn(self._camera.scene())
            self._lookout.restart(report=scene.anew)


def apply_deck(pipe: ServicePipe, lookout: Lookout, table: KnownTable) -> None:
    """Applies new cards of the bought deck, and reads the card that lies there again.

    Other watches go on: dice that were reported would be reported again.
    """
    for deck in pipe.take(UseDeck)[-1:]:
        table.use_deck(deck.cards)
        if is_bought(pipe.watching):
            lookout.restart(report=True)


def sleeps(pipe: ServicePipe) -> bool:
    """Whether the camera shall be closed until somebody plays again."""
    return bool(pipe.newest(Sleep, Sleep()).wanted)


def frame_s(camera: Camera) -> float:
    """The time limit for a camera's next frame."""
    return NETWORK_S if isinstance(camera, NetworkCamera) else FRAME_S if camera.live else FILE_S


def report_omission(pipe: ServicePipe, sentence: str) -> None:
    """Reports a photo that a recording leaves out; the next one has its own time limit."""
    pipe.send(Status("ok", sentence))
    pipe.expect(FILE_S, _("The camera has stopped sending pictures."))
