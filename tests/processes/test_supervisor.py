"""Supervision of a helper process, with tiny helpers that need nothing but the standard library."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from companion import periodic
from companion.app.service.camera_process import CAMERA_TARGET, CamerasElsewhere, Child, resolve, start_here
from companion.app.service.supervisor import HelperGone, Supervisor
from companion.demo.things import VirtualTable
from companion.sensing.process_messages import ClockOffset, Heartbeat, Status, Stop

SOON_S = 20.0  # a limit, never a pause; a fresh interpreter takes its time on a small machine
ROOT = Path(__file__).parents[2]

HELPERS = """
    import os
    import time
    from companion.sensing.process_messages import Heartbeat, Status, Stop


    def echo(pipe, greeting):
        pipe.send((greeting, os.getpid()))
        while not isinstance(command := pipe.recv(), Stop):
            pipe.send(command)


    def speak(pipe):
        pipe.send(Status("ok", "The camera sees the table."))
        pipe.send(Heartbeat())
        pipe.send("a reading")
        pipe.recv()


    def die(pipe):
        pass


    def stall(pipe, stalled):
        pipe.send(("stalled", os.getpid()))
        stalled = __import__("threading").Event()
        stalled.wait()


    def half(pipe):
        os.write(pipe.fileno(), b"\\0\\0\\1\\0half of a message")
        time.sleep(60)


    def slow(pipe):
        time.sleep(1.0)
        pipe.send(("slow", os.getpid()))
        time.sleep(0.5)
        pipe.send(("there again", os.getpid()))
        pipe.recv()


    def pause(pipe):
        pipe.send(Status("ok", "The camera sees the table."))
        pipe.recv()
        while True:
            pipe.send(Heartbeat())
            time.sleep(0.01)


    def give_up(pipe):
        pipe.send(Status("down", "The camera hangs."))


    def deaf(pipe):
        pipe.send(("deaf", os.getpid()))
        while True:
            pipe.send(Heartbeat())
            time.sleep(0.01)


    def any_of_them(pipe, name, *arguments):
        globals()[name](pipe, *arguments)
"""
# What `companion cameras` runs, for the helpers above.
CAMERAS = """
    import sys
    from pathlib import Path
    from companion.app.service import camera_process
    from companion.app.service.systemd import Systemd

    if __name__ == "__main__":
        camera_process.CAMERA_TARGET = "helpers_of_the_test:any_of_them"
        camera_process.serve_cameras(Path(sys.argv[1]), Systemd())
"""


@pytest.fixture(autouse=True)
def helpers(tmp_path, monkeypatch):
    """The helpers as a module that a fresh interpreter can import."""
    (tmp_path / "helpers_of_the_test.py").write_text(textwrap.dedent(HELPERS))
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture(scope="module")
def cameras(tmp_path_factory):
    """A process of its own that starts helpers, as the one that has the cameras does: what listens is no host."""
    folder = tmp_path_factory.mktemp("cameras")
    (folder / "helpers_of_the_test.py").write_text(textwrap.dedent(HELPERS))
    (folder / "cameras.py").write_text(textwrap.dedent(CAMERAS))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, folder / "cameras.py", folder / "socket"], env=environment) as process:
        there = CamerasElsewhere(folder / "socket")
        there.look()
        yield there
        process.kill()


@pytest.fixture(autouse=True, params=["here", "elsewhere"])
def start(request, monkeypatch, cameras):
    """Every helper comes from this process, then from the one that has the cameras."""

    def elsewhere(name, target, arguments):
        return cameras.start(name, CAMERA_TARGET, (target.partition(":")[2], *arguments))

    monkeypatch.setattr(Owner, "start", staticmethod(start_here if request.param == "here" else elsewhere))
    return Owner.start


class Owner:
    """Hears what a supervisor tells."""

    start = staticmethod(start_here)

    def __init__(self, target, arguments=(), **limits):
        self.messages: SimpleQueue = SimpleQueue()
        self.statuses: SimpleQueue = SimpleQueue()
        limits = {"first_wait_s": 0.01, "longest_wait_s": 0.05} | limits
        self.supervisor = Supervisor(
            f"helpers_of_the_test:{target}",
            arguments,
            self.messages.put,
            lambda *status: self.statuses.put(status),
            start=self.start,
            **limits,
        )

    def __enter__(self):
        self.supervisor.start()
        return self

    def __exit__(self, *exception):
        self.supervisor.stop()

    def message(self):
        return self.messages.get(timeout=SOON_S)

    def status(self):
        return self.statuses.get(timeout=SOON_S)


def has_ended(pid):
    """No such process any more; a dead child that nobody has asked after does not count as one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def eventually(condition):
    until_s, pause = time.monotonic() + SOON_S, threading.Event()
    while not condition():
        assert time.monotonic() < until_s, "it never came to be"
        pause.wait(0.01)


def test_messages_and_statuses_arrive_and_heartbeats_do_not():
    with Owner("speak") as owner:
        assert owner.status() == ("camera", "ok", "The camera sees the table.")
        assert owner.message() == "a reading"
        assert owner.messages.empty()


def test_commands_reach_the_helper():
    with Owner("echo", ("hello",)) as owner:
        assert owner.message()[0] == "hello"
        owner.supervisor.send(ClockOffset(5))
        assert owner.message() == ClockOffset(5)


def test_each_of_several_errands_reaches_the_helper_in_their_order_and_once():
    with Owner("echo", ("hello",)) as owner:
        for token in ("ann's", "bob's"):
            owner.supervisor.send_each(token)  # before it is even there
        owner.supervisor.send(ClockOffset(1))
        _, pid = owner.message()
        heard = [owner.message() for _ in range(3)]
        assert [each for each in heard if isinstance(each, str)] == ["ann's", "bob's"]
        os.kill(pid, signal.SIGKILL)
        assert owner.message()[0] == "hello"
        assert owner.message() == ClockOffset(1)  # what holds is told again, an errand was of the moment
        owner.supervisor.send_each("cy's")
        assert owner.message() == "cy's"


def test_starting_does_not_wait_for_the_helper():
    with Owner("echo", ("hello",)) as owner:
        assert owner.messages.empty()
        owner.supervisor.send(VirtualTable())  # before it is even there
        assert owner.message()[0] == "hello"
        assert owner.message() == VirtualTable()


def test_a_helper_that_is_killed_is_started_again_and_told_the_newest_of_each():
    with Owner("echo", ("hello",)) as owner:
        _, pid = owner.message()
        for offset_us in (1, 2, 3):
            owner.supervisor.send(ClockOffset(offset_us))
        while owner.message() != ClockOffset(3):
            pass
        os.kill(pid, signal.SIGKILL)
        name, state, sentence = owner.status()
        assert (name, state) == ("camera", "down")
        assert "ended unexpectedly" in sentence
        assert "\n" not in sentence
        greeting, new_pid = owner.message()
        assert (greeting, new_pid != pid) == ("hello", True)
        assert owner.message() == ClockOffset(3)


def test_a_helper_that_stalls_is_started_again(caplog):
    with Owner("stall", (None,), stall_s=0.2) as owner:
        _, pid = owner.message()
        assert "stalled" in owner.status()[2]
        _, new_pid = owner.message()
        assert new_pid != pid
        assert has_ended(pid)
    assert "the camera process is started again: The camera process has stalled." in caplog.text


def test_a_helper_that_was_slow_to_begin_may_be_quiet_for_as_long():
    with Owner("slow", stall_s=0.1) as owner:
        (first, pid), (second, same_pid) = owner.message(), owner.message()
        assert (first, second, same_pid) == ("slow", "there again", pid)


def test_how_long_a_slow_one_may_be_quiet_has_its_limit(monkeypatch):
    monkeypatch.setattr("companion.app.service.supervisor.LONGEST_STALL_S", 0.1)
    with Owner("slow", stall_s=0.1) as owner:
        assert owner.message()[0] == "slow"
        assert "stalled" in owner.status()[2]


def test_a_helper_that_is_quiet_is_said_and_taken_back_when_it_answers():
    with Owner("pause", quiet_s=0.1) as owner:
        assert owner.status()[1:] == ("ok", "The camera sees the table.")
        assert owner.status()[1:] == ("down", "The camera process doesn't answer. You can play on by tapping.")
        owner.supervisor.send(ClockOffset(1))
        assert owner.status()[1:] == ("ok", "The camera sees the table.")


def test_a_helper_that_has_said_nothing_yet_is_still_starting():
    with Owner("slow", quiet_s=0.1) as owner:
        assert [owner.message()[0] for _ in range(2)] == ["slow", "there again"]
        assert owner.statuses.empty()


def test_what_a_helper_said_before_it_ended_is_why():
    with Owner("give_up") as owner:
        assert owner.status()[1:] == ("down", "The camera hangs.")
        assert owner.status()[2].startswith("The camera hangs. It restarts in")


def test_a_helper_that_never_begins_is_started_again():
    with Owner("echo", ("hello",), start_s=0.0) as owner:
        assert "stalled" in owner.status()[2]
        assert owner.status()[1] == "down"


def test_restarts_come_further_and_further_apart(monkeypatch):
    monkeypatch.setattr("companion.periodic.spread", lambda wait_s: wait_s)
    with Owner("die") as owner:
        waits = [owner.status()[2].partition("restarts in ")[2].partition("\u00a0s")[0] for _ in range(5)]
    assert waits == ["0.01", "0.02", "0.04", "0.05", "0.05"]


def test_a_helper_that_stops_in_the_middle_of_a_message_has_stalled(monkeypatch):
    monkeypatch.setattr("companion.app.service.supervisor.LONGEST_STALL_S", 0.2)
    with Owner("half") as owner:
        assert "has stalled" in owner.status()[2]


def test_a_helper_that_takes_no_more_has_stalled(monkeypatch):
    monkeypatch.setattr("companion.app.service.supervisor.LONGEST_STALL_S", 0.2)
    with Owner("stall", (None,)) as owner:
        owner.message()
        owner.supervisor.send_each(b"a photo" * 1_000_000)
        assert "has stalled" in owner.status()[2]


def test_stopping_ends_the_helper():
    with Owner("echo", ("hello",)) as owner:
        _, pid = owner.message()
        assert owner.supervisor.pid == pid
    assert has_ended(pid)
    assert owner.supervisor.pid is None
    assert owner.statuses.empty()


def test_stopping_ends_a_helper_that_does_not_listen(monkeypatch):
    monkeypatch.setattr("companion.app.service.supervisor.STOP_S", 0.2)
    with Owner("stall", (None,)) as owner:
        _, pid = owner.message()
    assert has_ended(pid)


def test_what_comes_after_the_stop_reaches_nobody_who_has_the_descriptors_by_then(tmp_path):
    owner = Owner("echo", ("hello",))
    owner.supervisor.stop()  # before the start, too
    with contextlib.ExitStack() as opened:
        files = [opened.enter_context((tmp_path / str(number)).open("wb")) for number in range(8)]
        owner.supervisor.send(Stop())
        owner.supervisor.stop()
        assert [os.fstat(file.fileno()).st_size for file in files] == [0] * len(files)


def test_a_helper_that_does_not_listen_never_makes_the_sender_wait():
    with Owner("deaf") as owner:
        owner.message()
        began_s = time.monotonic()
        for number in range(2_000):
            owner.supervisor.send(Status("ok", "x" * 1_000 + str(number)))
        assert time.monotonic() - began_s < SOON_S / 2


def test_a_listener_that_fails_does_not_end_the_supervision(caplog):
    heard = SimpleQueue()

    def on_message(message):
        heard.put(message)
        raise ValueError("nobody expected this")

    supervisor = Supervisor("helpers_of_the_test:echo", ("hello",), on_message, lambda *status: None)
    supervisor.start()
    heard.get(timeout=SOON_S)
    supervisor.send(ClockOffset(1))
    assert heard.get(timeout=SOON_S) == ClockOffset(1)
    supervisor.stop()
    assert "could not be used" in caplog.text
    with pytest.raises(Empty):
        heard.get_nowait()


def test_a_helper_ends_when_its_parent_is_killed(tmp_path):
    program = """
        import sys
        from companion.app.service.supervisor import Supervisor
        if __name__ == "__main__":
            say = lambda message: print(message[1], flush=True)
            supervisor = Supervisor("helpers_of_the_test:deaf", (), say, print)
            supervisor.start()
            sys.stdin.read()
    """
    (tmp_path / "parent.py").write_text(textwrap.dedent(program))
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "parent.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as parent:
        pid = int(parent.stdout.readline())
        assert not has_ended(pid)
        parent.kill()
        parent.wait(SOON_S)
        eventually(lambda: has_ended(pid))


def test_a_target_may_be_the_function_itself():
    assert resolve(Heartbeat) is Heartbeat
    assert resolve("companion.app.service.supervisor:Heartbeat") is Heartbeat


def test_it_is_alive_however_often_its_helper_fails():
    """A camera that always fails leaves the table's other parts alone: a service begun anew has no better one."""
    supervisor = Supervisor("tests:helper", (), print, lambda *_: None)
    for _life in range(3 * periodic.MOST_FAILED):
        supervisor._failed(HelperGone("It is gone."))
    assert supervisor.in_a_row < supervisor.most_failed


def test_it_is_alive_while_it_looks_after_its_helper_whatever_that_does():
    with Owner("stall", (1,), stall_s=0.1) as owner:
        owner.message()
        assert owner.supervisor.is_alive()
        assert owner.status()[1] == "down"  # replaced, and alive all the while
        owner.message()
        assert owner.supervisor.is_alive()
    assert not owner.supervisor.is_alive()


def test_one_that_looks_after_nothing_any_more_is_not_alive(monkeypatch):
    stuck = threading.Event()
    owner = Owner("echo", ("hello",))
    owner.supervisor._on_message = lambda message: stuck.wait(SOON_S)
    with owner:
        eventually(lambda: owner.supervisor.pid is not None)
        later_s = time.monotonic() + 1_000
        monkeypatch.setattr("companion.app.service.supervisor.time.monotonic", lambda: later_s)
        assert not owner.supervisor.is_alive()
        monkeypatch.undo()
        stuck.set()


class Stuck:
    """A process that waits within the kernel, where no signal reaches it."""

    pid, sentinel, exitcode = 1, 1, None

    def join(self, _within_s):
        return None

    terminate = kill = lambda _self: None

    def close(self):
        raise ValueError("Cannot close a process while it is still running.")


def test_a_helper_that_no_signal_reaches_yet_does_not_end_whoever_looks_after_it():
    Child(Stuck()).end(0)
