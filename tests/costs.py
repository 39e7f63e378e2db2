"""What each test file costs: `make costs` tells for how long it takes processors, and for how long it only waits.

A test's cost is that of its process and of everything below it, so services, cameras and browsers count too. What the
fixtures of a module take is in its first and its last test. Neither figure depends on what else the machine does: it
waits while no thread of it runs or is ready to run, as in a pause, until a limit or for a disk. With workers, each
measures its own part.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rings import plan

TICKS_S = os.sysconf("SC_CLK_TCK")
SAMPLE_S = 0.1
MANY = 40
PROC = Path("/proc")


def fields(stat: Path) -> list[str]:
    """What the kernel says of a process or thread, from its state on; nothing when it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return stat.read_text().rpartition(")")[2].split()
    return []


def ours() -> dict[int, list[str]]:
    """This process and all below it, with what the kernel says of each."""
    said = {int(entry.name): fields(entry / "stat") for entry in PROC.iterdir() if entry.name.isdigit()}
    children: dict[int, list[int]] = {}
    for process, found in said.items():
        if found:
            children.setdefault(int(found[1]), []).append(process)
    own = [os.getpid()]
    for process in own:
        own += children.get(process, [])
    return {process: said[process] for process in own}


def is_busy(besides: int) -> bool:
    """Whether a thread of ours runs or is ready to run, besides that one."""
    for process in ours():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for thread in (PROC / str(process) / "task").iterdir():
                if int(thread.name) != besides and fields(thread / "stat")[:1] == ["R"]:
                    return True
    return False


class Costs:
    """What was taken so far, and test → seconds of processors and seconds waited."""

    def __init__(self) -> None:
        self.tests: dict[str, tuple[float, float]] = {}
        self._waited_s = self._watching_s = 0.0
        self._lost_ticks = 0
        self._seen: dict[int, tuple[int, int, int]] = {}  # process → its parent, its ticks, those of its ended children
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="costs", daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        last = time.monotonic()
        while not self._is_over.wait(SAMPLE_S):
            self._look()
            busy = is_busy(threading.get_native_id())
            now = time.monotonic()
            self._waited_s += 0.0 if busy else now - last
            last, self._watching_s = now, time.thread_time()

    def _look(self) -> int:
        """Ticks of all processes so far. Chromium ends some whose ticks the kernel then gives to nobody."""
        with self._lock:
            now = {
                process: (int(found[1]), sum(map(int, found[11:13])), sum(map(int, found[13:15])))
                for process, found in ours().items()
                if found
            }
            ended: dict[int, int] = {}
            for process, (parent, own, children) in self._seen.items():
                if process not in now:
                    while parent not in now and parent in self._seen:
                        parent = self._seen[parent][0]
                    ended[parent] = ended.get(parent, 0) + own + children
            for parent, ticks in ended.items():
                if parent in now:
                    self._lost_ticks += max(0, ticks - (now[parent][2] - self._seen[parent][2]))
            self._seen = now
            return self._lost_ticks + sum(own + children for _parent, own, children in now.values())

    def so_far(self) -> tuple[float, float]:
        """Seconds of processors without those of watching, and seconds waited."""
        return self._look() / TICKS_S - self._watching_s, self._waited_s

    def end(self) -> None:
        self._is_over.set()
        self._watcher.join()


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[KEY] = Costs()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    costs = item.config.stash[KEY]
    processor, waited = costs.so_far()
    outcome = yield
    processor_then, waited_then = costs.so_far()
    costs.tests[item.nodeid] = (processor_then - processor, waited_then - waited)
    return outcome


def pytest_sessionfinish(session: pytest.Session) -> None:
    costs = session.config.stash[KEY]
    costs.end()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = costs.tests


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Takes what a worker measured."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[KEY].tests |= output.get("costs", {})  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    tests = config.stash[KEY].tests
    files: dict[str, list[float]] = {}
    for test, taken in tests.items():
        total = files.setdefault(test.partition("::")[0], [0.0, 0.0])
        total[:] = [so_far + more for so_far, more in zip(total, taken, strict=True)]
    OF_FILES.parent.mkdir(exist_ok=True)
    OF_FILES.write_text(json.dumps({name: processor for name, (processor, _waited) in files.items()}), encoding="utf-8")
    terminalreporter.section("seconds of processors, seconds waited")
    for what in (files, tests):
        for name, (processor, waited) in sorted(what.items(), key=lambda row: -sum(row[1]))[:MANY]:
            terminalreporter.write_line(f"{processor:7.1f} {waited:7.1f}  {name}")
        terminalreporter.write_line("")
    processor, waited = (sum(total[which] for total in files.values()) for which in (0, 1))
    terminalreporter.write_line(f"{processor:7.1f} {waited:7.1f}  all of them")
    for sentence in above(plan.read()):
        terminalreporter.write_line(sentence)


def above(ring: plan.Plan) -> list[str]:
    """A sentence for each file that took more than its budget in the last run."""
    taken: dict[str, float] = json.loads(OF_FILES.read_text(encoding="utf-8"))
    budgets = {file: ring.dearer.get(file, (ring.most_s, ""))[0] for file in taken}
    return [
        f"{file} took {took:.0f} s of processors, and may take {budgets[file]:.0f}: make it cheaper, or say why in "
        "tests/rings/rings.toml."
        for file, took in sorted(taken.items())
        if took > budgets[file]
    ]


KEY = pytest.StashKey[Costs]()
OF_FILES = plan.ROOT / "build/costs.json"  # seconds of processors of the last run
