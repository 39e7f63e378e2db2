"""A process with one camera, as the product opens it, which says as JSON what it saw.

    python -m tests.picamera.as_it_sees frames NUMBER [NONSENSE]
    python -m tests.picamera.as_it_sees open NUMBER
    python -m tests.picamera.as_it_sees hold

NONSENSE    what the stamps are: `the buffer's`, which libcamera 0.4.0 leaves as they were for a virtual camera; `none`;
            `still`, that of the first picture; `back`, each before the last
"""

import json
import logging
import sys
from typing import Any

import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from vision.cameras import picam
from vision.cameras.picam import PiCamera

FRAMES = 10
EMULATED_S = 60.0  # for a picture, where the processor is emulated and shared


def main() -> None:
    from tests.picamera import as_here  # only the emulated machine has libcamera

    logging.basicConfig(level=logging.WARNING)
    as_here.put_in_place()
    picam.FIRST_S = picam.PICTURE_S = EMULATED_S
    match sys.argv[1:]:
        case ["hold"]:
            held = as_here.Picamera2Here(0)
            print("held", flush=True)
            sys.stdin.read()
            held.close()
        case ["open", number]:
            try:
                with PiCamera(int(number)):
                    said = ""
            except CameraUnavailable as error:
                said = str(error)
            print(json.dumps({"refused": said}))
        case ["frames", number, *nonsense]:
            print(json.dumps(frames(int(number), *nonsense)))


def frames(number: int, nonsense: str = "") -> dict[str, Any]:
    """What some pictures of a camera are."""
    stamps_us = put_stamps(nonsense)
    with PiCamera(number) as camera:
        picam2 = camera._picam2
        taken = []
        for frame in camera.frames():
            taken.append((frame, monotonic_us()))
            if len(taken) == FRAMES:
                break
        at_us, came_us = [frame.at_us for frame, _ in taken], [came_us for _, came_us in taken]
        seen_us = list(stamps_us)
        full = camera.full(frame)
        return {
            "small": [frame.bgr.shape for frame, _ in taken],
            "at_us": at_us,
            "came_us": came_us,
            "stamps_us": seen_us,
            "age_ms": sum(came - at for came, at in zip(came_us, at_us, strict=True)) / FRAMES / 1_000,
            "pause_ms": (at_us[-1] - at_us[0]) / (FRAMES - 1) / 1_000,
            "full": full.bgr.shape,
            "full_at_us": full.at_us,
            "coloured": float(np.ptp(full.bgr, axis=2).mean()),
            "knows_time": camera.knows_time,
            "offered": sorted(picam2.camera_controls),
            "set": picam2.camera_configuration()["controls"],
        }


def put_stamps(nonsense: str) -> list[int]:
    """Makes the stamps nonsense where they shall be; the list into which each goes, in microseconds."""
    from picamera2.request import CompletedRequest

    real, stamps_us = CompletedRequest.get_metadata, []

    def get_metadata(request: Any) -> dict[str, Any]:
        metadata = real(request)
        stamp_ns = metadata.pop("SensorTimestamp")
        match nonsense:
            case "the buffer's":
                stamp_ns = next(iter(request.request.buffers.values())).metadata.timestamp
            case "none":
                return metadata
            case "still" if stamps_us:
                stamp_ns = stamps_us[0] * 1_000
            case "back":
                stamp_ns -= 2 * (stamp_ns - (stamps_us[0] * 1_000 if stamps_us else stamp_ns))
        stamps_us.append(stamp_ns // 1_000)
        return metadata | {"SensorTimestamp": stamp_ns}

    CompletedRequest.get_metadata = get_metadata
    return stamps_us


if __name__ == "__main__":
    main()
