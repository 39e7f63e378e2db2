"""Two threads that read JSON of one class for the first time at the same moment: the program goes on."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MET_AT_ONCE = """
import sys, threading
from typing import Annotated
import msgspec
from companion.foreign import read_json, Unreadable

sys.setswitchinterval(1e-6)
for most in range(150):
    class Part(msgspec.Struct, frozen=True):
        name: Annotated[str, msgspec.Meta(max_length=10 + most)]
        groups: tuple[tuple[Annotated[str, msgspec.Meta(max_length=5)], ...], ...]

    class Whole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
        key: Annotated[str, msgspec.Meta(pattern="[0-9a-f]{64}")]
        named: dict[str, Annotated[str, msgspec.Meta(max_length=1 + most)]]
        part: Part

    together = threading.Barrier(4)
    def meet():
        together.wait()
        try:
            read_json(b'{"key": 1}', Whole)
        except Unreadable:
            pass

    threads = [threading.Thread(target=meet) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_meet_a_class_at_once_crash_nothing():
    ended = subprocess.run([sys.executable, "-c", MET_AT_ONCE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
