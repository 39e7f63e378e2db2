"""Python runs this at its start where the camera lab put this folder into PYTHONPATH: the stand-in comes below OpenCV."""

import os
import sys
from pathlib import Path

if "CAMERA_LAB" in os.environ and "spawn_main" in " ".join(sys.orig_argv):  # the vision process alone has a camera
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from tests.torture.lab_camera import put_in_place

    put_in_place(Path(os.environ["CAMERA_LAB"]))
