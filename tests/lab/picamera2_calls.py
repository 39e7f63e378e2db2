"""What of picamera2 the product may call: a stand-in takes these calls, each with these arguments, and no others.

Copied from picamera2 0.3.38 (picamera2.py and request.py); `tests/vision/test_picam.py` holds it against the real one
where that can be imported.
"""

import inspect


def signature(text: str) -> inspect.Signature:
    """The signature that "(name, other=1)" writes down."""
    named: dict = {}
    exec(f"def written{text}: ...", named)
    return inspect.signature(named["written"])


CAMERA = {
    "__init__": signature("(self, camera_num=0, verbose_console=None, tuning=None, allocator=None)"),
    "create_video_configuration": signature(
        "(self, main={}, lores=None, raw={}, transform=None, colour_space=None, buffer_count=6, controls={},"
        " display='main', encode='main', queue=True, sensor={}, use_case='video')"
    ),
    "configure": signature("(self, camera_config=None)"),
    "camera_configuration": signature("(self)"),
    "start": signature("(self, config=None, show_preview=False)"),
    "stop": signature("(self)"),
    "close": signature("(self)"),
    "set_controls": signature("(self, controls)"),
    "captured_request": signature("(self, wait=None, flush=None)"),
}
REQUEST = {
    "make_array": signature("(self, name)"),
    "get_metadata": signature("(self)"),
    "release": signature("(self)"),
}
CONFIGURATION_KEYS = {"size", "format", "stride", "framerate", "preserve_ar"}  # what a stream may be asked for


class Strict:
    """Takes only what the real thing takes: an unknown method or argument is an error at once."""

    signatures: dict

    def __getattr__(self, name):
        if name not in self.signatures:
            raise AttributeError(f"picamera2 has no {name}")

        def call(*arguments, **named):
            bound = self.signatures[name].bind(self, *arguments, **named)
            self.calls.append((name, {key: value for key, value in bound.arguments.items() if key != "self"}))
            return getattr(self, f"does_{name}", lambda **_: None)(**self.calls[-1][1])

        return call
