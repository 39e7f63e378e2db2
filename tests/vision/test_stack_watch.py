"""Stacks watched from frame to frame: readings at rest as of every table, and a fall that is told at once."""

from dataclasses import replace

import numpy as np
import pytest

from companion.game.readings import BlockReading, Kind, SpaceReading, Status, TowerReading, Watching
from vision.cameras.camera import Frame
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Lookout
from vision.watch.stack_watch import StackWatch

FRAME_US = 33_333
LATEST_US = 200_000  # the target of the issue
SENT_US = 1_000_000_000  # table time less the frames' stamps
RNG = np.random.default_rng(3)
BACKGROUND = RNG.uniform(90, 110, (240, 320, 3))
WOOD = RNG.uniform(150, 210, (25, 30, 3))
STANDING = tuple(BlockReading(160.0, 200.0 - 25 * level, 30.0, 25.0, 0.0) for level in range(5))
HEAP = tuple(BlockReading(90.0 + 35 * place, 200.0, 30.0, 25.0, 0.0) for place in range(5))


def picture(blocks, shift=0.0):
    frame = BACKGROUND.copy()
    for block in blocks:
        left, top = int(block.cx - block.w / 2 + shift), int(block.cy - block.h / 2)
        frame[top : top + 25, left : left + 30] = WOOD
    return np.clip(frame + RNG.normal(0, 1.5, frame.shape), 0, 255).astype(np.uint8)


def arm(frame):
    frame[60:120, :150] = (120, 140, 180)
    return frame


class Stand:
    """The spaces before a camera, and a reader that knows what stands there."""

    def __init__(self):
        self.at_us = 0
        self.reads = 0
        self.answer = standing()
        self.watch = StackWatch(self.read, live=False, stopwatch_us=lambda: 0)
        self.watch.offset_us = SENT_US

    def read(self, frame_bgr):
        self.reads += 1
        return self.answer

    def show(self, frames):
        told = []
        for frame_bgr in frames:
            settled = self.watch.feed(Frame(frame_bgr, self.at_us, 0))
            if settled is not None:
                told.append((self.at_us, settled))
            self.at_us += FRAME_US
        return told


def standing(accepted=True):
    first = SpaceReading(1, Status.STANDING, 0.99, accepted, STANDING)
    return TowerReading(320, 240, (first, SpaceReading(2, Status.EMPTY, 0.99, True)))


def heap(accepted):
    first = SpaceReading(1, Status.COLLAPSED if accepted else Status.STANDING, 0.99, accepted, HEAP)
    return TowerReading(320, 240, (first, SpaceReading(2, Status.EMPTY, 0.99, True)))


@pytest.fixture
def stand():
    stand = Stand()
    ((_, settled),) = stand.show([picture(STANDING)] * 12)
    assert settled.reading == standing()
    return stand


def test_a_fall_is_told_at_once_with_its_picture(stand):
    began_us, reads = stand.at_us, stand.reads
    ((told_us, settled),) = stand.show([picture(HEAP, shift) for shift in (0, 9, -6, 5, -3, 2)])
    assert told_us - began_us <= LATEST_US
    assert [space.status for space in settled.reading.spaces] == [Status.COLLAPSED, Status.EMPTY]
    assert settled.reading.accepted
    assert began_us <= settled.rested_us - SENT_US <= told_us
    assert settled.frame_jpeg.startswith(b"\xff\xd8")
    assert stand.reads == reads  # a fall waits for no reader


def test_a_stack_that_grew_is_watched_as_it_stands_now(stand):
    """What was added falls, what stood there first stays."""
    stand.answer = TowerReading(320, 240, (SpaceReading(1, Status.STANDING, 0.99, True, STANDING[:2]),))
    stand.show([picture(STANDING[:2])] * 12)
    stand.answer = standing()
    stand.show([picture(STANDING)] * 12)
    fallen = STANDING[:2] + HEAP[2:]
    ((told_us, settled),) = stand.show([picture(fallen, shift) for shift in (0, 1, -1, 1, 0, 1)])
    assert settled.reading.spaces[0].status is Status.COLLAPSED
    assert told_us - settled.rested_us + SENT_US <= LATEST_US


def test_the_falls_of_a_frame_are_its_own(stand):
    frames = [picture(STANDING), *(picture(HEAP, shift) for shift in (0, 9, -6, 5, -3, 2))]
    seen = [(len(stand.show([frame])), set(stand.watch.falls)) for frame in frames]
    assert seen.count((1, {1})) == 1
    assert seen.count((0, set())) == len(frames) - 1


def test_a_hand_before_a_stack_is_no_fall(stand):
    assert stand.show([arm(picture(STANDING)) for _ in range(10)]) == []
    assert stand.show([picture(STANDING) for _ in range(10)]) == []


@pytest.mark.parametrize("accepted", [True, False])
def test_what_fell_is_fallen_until_the_reader_is_sure(stand, accepted):
    stand.show([picture(HEAP, shift) for shift in (0, 9, -6, 5)])
    stand.answer = heap(accepted)
    ((_, settled),) = stand.show([picture(HEAP)] * 12)
    assert settled.reading.spaces[0].status is Status.COLLAPSED


def test_a_stack_that_was_built_again_stands_and_can_fall_again(stand):
    stand.show([picture(HEAP, shift) for shift in (0, 9, -6, 5)])
    ((_, settled),) = stand.show([picture(STANDING)] * 12)
    assert settled.reading.spaces[0].status is Status.STANDING
    ((_, settled),) = stand.show([picture(HEAP, shift) for shift in (0, 9, -6, 5, -3, 2)])
    assert settled.reading.spaces[0].status is Status.COLLAPSED


def test_what_is_read_may_be_larger_than_what_is_watched(stand):
    larger = [replace(b, cx=b.cx * 2, cy=b.cy * 2, w=b.w * 2, h=b.h * 2) for b in STANDING]
    stand.answer = TowerReading(640, 480, (SpaceReading(1, Status.STANDING, 0.99, True, tuple(larger)),))
    stand.show([picture(HEAP)] * 12)
    stand.show([picture(STANDING)] * 12)
    ((_, settled),) = stand.show([picture(HEAP, shift) for shift in (0, 9, -6, 5, -3, 2)])
    assert settled.reading.spaces[0].status is Status.COLLAPSED


def test_a_camera_told_to_look_at_towers_hears_falls():
    lookout = Lookout(lambda watching: lambda frame_bgr: standing(), KnownTable(), live=False)
    lookout.want(Watching(Kind.TOWER), SENT_US)
    told = []
    pictures = [picture(STANDING)] * 12 + [picture(HEAP, shift) for shift in (0, 9, -6, 5, -3, 2)]
    for number, frame_bgr in enumerate(pictures):
        settled = lookout.feed(Frame(frame_bgr, number * FRAME_US, number), lambda frame: frame)
        told += [] if settled is None else [settled.reading.spaces[0].status]
    assert told == [Status.STANDING, Status.COLLAPSED]
