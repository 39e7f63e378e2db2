"""The faults that people report of cameras, and what the tablet says of each: one table for every kind of camera."""

from dataclasses import dataclass

SEES_NONE = ""  # nothing is said, and dice are read


@dataclass(frozen=True)
class Fault:
    """One fault, as `Scenery` and the stand-ins make it.

    usb, pi     how the sentence on the tablet begins, or a part of it; "" if dice are read without a word. {device} is
                the camera's device, {program} who uses it
    is_read     whether dice are read while it lasts
    """

    name: str
    usb: str
    pi: str
    is_read: bool = False

    def __str__(self) -> str:
        return self.name


def alike(name: str, sentence: str, *, is_read: bool = False) -> Fault:
    """A fault of which the same is said at every camera."""
    return Fault(name, sentence, sentence, is_read)


SPOILT = (
    alike("green", "The camera's picture is green. "),
    alike("half green", "The camera's picture is green. "),
    alike("half grey", "Part of the camera's picture is empty. "),
    alike("frozen", "The camera keeps sending one old picture. "),
    alike("repeated", "The camera keeps sending one old picture. "),
    alike("old", "The camera sends only old pictures. "),
    Fault(
        "changed size",
        "The camera's picture changed from 1280 × 960 pixels to 640 × 480. ",
        "The camera's picture changed from 640 × 360 pixels to 320 × 180. ",
    ),
    alike("scraps", "The camera sends broken pictures. "),
    alike("stripes of 0.6", "A flickering lamp makes stripes in the picture. "),
    alike("grey", "The camera shows no colours. It can read dice, ", is_read=True),
    alike("purple", "The camera's picture is all purple. It can read dice, ", is_read=True),
    alike("stripes of 0.1", SEES_NONE, is_read=True),
    alike("swapped colours", SEES_NONE, is_read=True),
    alike("one a second", SEES_NONE, is_read=True),
)
GONE = (
    Fault("dropout", "The camera at number 0 has stopped sending pictures. ", "The Pi's camera has stopped sending "),
    Fault("busy", "{program} is using the camera {device}. Close it.", "Another program is using the Pi's camera. "),
    Fault(
        "no right",
        "This account isn't allowed to use the camera {device}. Type sudo usermod -aG video $USER",
        "Type sudo usermod -aG video $USER",
    ),
)
