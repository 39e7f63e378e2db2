"""Cameras in the network, against servers of the tests' own; what may show their passwords is looked at."""

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.app.service.supervisor import Supervisor
from companion.cameras.in_network import is_address, parts_of, without_secrets
from companion.errors import BadInput, CameraUnavailable
from companion.network import outgoing
from tests.vision.network_cameras import (
    NAME,
    PASSWORD,
    Server,
    answered,
    begun,
    guarded,
    part,
    picture,
    rtsp,
    streams,
)
from vision.cameras import fetcher, http_source, rtsp_source
from vision.cameras.http_source import Parts
from vision.cameras.network import NetworkCamera
from vision.cameras.rtsp_source import described, rtsp_pictures
from vision.cameras.sources import NoSource
from vision.open_camera import open_camera

GONE = "The program that reads the network camera has stopped."
SOON_S = 150.0  # a limit, never a pause


def address(server, path="/", scheme="http", password=PASSWORD):
    return f"{scheme}://{NAME}:{password}@127.0.0.1:{server.port}{path}"


def levels_of(camera, count):
    """The grey levels of the first pictures."""
    with camera:
        return [round(float(frame.bgr.mean())) for frame in itertools.islice(camera.frames(), count)]


def refusal(spec):
    """What is said when a camera ends."""
    with pytest.raises(CameraUnavailable) as caught, NetworkCamera(spec) as camera:
        for _frame in camera.frames():
            pass
    said = str(caught.value)
    assert PASSWORD not in said
    # what is wrong, and what to do
    assert said.count(".") - said.count("127.0.0.1") * 3 - said.count(".invalid") == 2, said
    return said


# http


@pytest.mark.parametrize(
    ("boundary", "length"),
    [("frame", True), ("frame", False), ("--frame", True), ('"a b"', False)],
)
def test_a_stream_of_pictures_is_read_however_the_camera_marks_its_parts(boundary, length):
    def answer(line, _request, server):
        begun(line, boundary)
        for level in itertools.chain((40, 80, 120), itertools.repeat(200)):
            line.sendall(part(picture(level), boundary.strip('"'), length))
            if server.ended.wait(0.02):
                return

    with Server(answer) as server:
        seen = levels_of(open_camera(address(server)), 8)
    assert seen == sorted(seen)
    assert seen[-1] in (199, 200, 201)


def test_parts_are_found_in_chunks_of_any_size():
    whole = [picture(level) for level in (10, 90, 250)]
    for length in (True, False):
        content = b"".join(part(picture, length=length) for picture in whole) + b"--frame--\r\n"
        for size in (1, 7, 1000, len(content)):
            parts = Parts("frame")
            pictures = [
                picture.rstrip(b"\r\n")
                for at in range(0, len(content), size)
                for picture in parts.feed(content[at : at + size])
            ]
            assert pictures == whole


def test_a_camera_that_gives_single_pictures_is_asked_again_and_again():
    levels = itertools.chain((40, 80), itertools.repeat(160))

    def answer(line, _request, _server):
        answered(line, content=picture(next(levels)))

    with Server(answer) as server:
        assert levels_of(open_camera(address(server, "/shot.jpg")), 3)[-1] in (159, 160, 161)
        assert len(server.requests) >= 3


def test_the_newest_picture_is_given_and_none_waits():
    """A camera of 50 pictures a second, and a reader that takes one and then is busy until 40 more were sent."""
    sent = []

    def levels():
        for level in range(1, 250):
            sent.append(level)
            yield level

    with Server(streams(levels())) as server, NetworkCamera(address(server)) as camera:
        frames = camera.frames()
        next(frames)
        until_s = time.monotonic() + SOON_S
        while len(sent) < 60 and time.monotonic() < until_s:
            time.sleep(0.01)
        before = len(sent)
        next(frames)  # at most the one that was newest when it was asked for
        assert float(next(frames).bgr.mean()) >= before - 3


@pytest.mark.parametrize("scheme", ["Basic", "Digest"])
def test_name_and_password_are_sent_only_as_the_camera_asks(scheme):
    with Server(guarded(streams(itertools.repeat(100)), scheme)) as server:
        assert levels_of(open_camera(address(server, "/v?x=1")), 2) == [100, 100]
        assert "Authorization" not in server.requests[0]
        assert (PASSWORD in "".join(server.requests)) is False  # Basic is coded, Digest never sends it
        assert "refused this name and password" in refusal(address(server, password="wrong"))


def test_a_redirect_is_followed_on_the_same_host_and_nowhere_else():
    def answer(line, request, server):
        if request.startswith("GET /old"):
            answered(line, "302 Found", "text/html", Location="/new")
        elif request.startswith("GET /away"):
            answered(line, "302 Found", "text/html", Location=f"http://localhost:{server.port}/new")
        elif request.startswith("GET /port"):
            answered(line, "302 Found", "text/html", Location=f"http://127.0.0.1:{other.port}/new")
        elif request.startswith("GET /round"):
            answered(line, "302 Found", "text/html", Location="/round")
        else:
            streams(itertools.repeat(100))(line, request, server)

    with Server(answer) as server, Server(answer) as other:
        assert levels_of(open_camera(address(server, "/old")), 1) == [100]
        asked = len(server.requests)
        assert "sends us to another device" in refusal(address(server, "/away"))
        assert len(server.requests) == asked + 1
        assert "sends us to another device" in refusal(address(server, "/port"))
        assert other.requests == []
        assert "sends us to another device" in refusal(address(server, "/round"))


def never(_line, _request, server):
    server.ended.wait()


def cut_in_the_middle(line, _request, server):
    """Stalls within the second picture."""
    begun(line)
    line.sendall(part(picture(100)) + part(picture(100))[:300])
    server.ended.wait()


def trickling(line, _request, server):
    """Sends a byte now and then, and never a whole picture."""
    begun(line)
    line.sendall(part(picture(100)))
    for byte in part(picture(100)):
        line.sendall(bytes([byte]))
        if server.ended.wait(0.2):
            return


def ending(line, _request, _server):
    begun(line)
    line.sendall(part(picture(100)))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda line, _request, _server: answered(line, "404 Not Found", "text/html", b"?"), "nothing at this path"),
        (lambda line, _request, _server: answered(line, kind="text/html", content=b"<p>Hello"), "isn't a picture"),
        (lambda line, _request, _server: answered(line, content=picture(9)[:200]), "isn't a picture"),
        (lambda line, _request, _server: line.sendall(b"SSH-2.0-x\r\n"), "isn't a picture"),
        (lambda line, _request, _server: (begun(line), line.sendall(part(b"<p>Hello")))[1], "isn't a picture"),
        (never, "doesn't answer"),
        (cut_in_the_middle, "has stopped sending pictures"),
        (trickling, "has stopped sending pictures"),
        (ending, "ended the connection"),
    ],
)
def test_each_failure_is_one_sentence(answer, said):
    with Server(answer) as server:
        assert said in refusal(address(server))


def test_a_picture_that_was_cut_off_is_left_out():
    """A weak Wi-Fi: every second part has its announced length, and the lower half of its picture is missing."""
    torn = picture(100)[: len(picture(100)) // 2]

    def answer(line, _request, server):
        begun(line)
        while not server.ended.wait(0.02):
            line.sendall(part(picture(200)) + part(torn))

    with Server(answer) as server:
        assert set(levels_of(open_camera(address(server)), 6)) <= {199, 200, 201}


def test_a_path_with_letters_beyond_ascii_is_asked_for_as_utf_8():
    with Server(streams(itertools.repeat(100))) as server:
        levels_of(open_camera(address(server, "/küche?größe=1&x=%41")), 1)
        assert server.requests[0].startswith("GET /k%C3%BCche?gr%C3%B6%C3%9Fe=1&x=%41 HTTP/1.1")  # RFC 3987, 3.1


def test_https_asked_of_a_camera_that_speaks_http_is_one_sentence():
    with Server(
        lambda line, _request, _server: answered(line, "400 Bad Request"), lambda line: line.recv(10)
    ) as server:
        assert "isn't a picture" in refusal(address(server, scheme="https"))


@pytest.mark.parametrize("scheme", ["http", "https", "rtsp"])
def test_a_machine_that_is_not_there_or_does_not_listen_is_one_sentence(scheme):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken and not listened at
        assert "No camera answers" in refusal(f"{scheme}://{NAME}:{PASSWORD}@127.0.0.1:{taken.getsockname()[1]}/")
    assert "There's no device at the name" in refusal(f"{scheme}://{NAME}:{PASSWORD}@camera.invalid/")


# RTSP


def test_rtsp_pictures_come_and_the_newest_first():
    with Server(rtsp(itertools.chain((40, 80), itertools.repeat(160)))) as server:
        seen = levels_of(open_camera(address(server, "/stream", "rtsp")), 6)
        assert seen == sorted(seen)
        assert abs(seen[-1] - 160) <= 2
        assert PASSWORD not in "".join(server.requests)


def test_rtsp_failures_are_one_sentence_each():
    with Server(rtsp(itertools.repeat(100), stall_after=40)) as server:
        assert "refused this name and password" in refusal(address(server, "/stream", "rtsp", "wrong"))
        assert "nothing at this path" in refusal(address(server, "/other", "rtsp"))
        assert "has stopped sending pictures" in refusal(address(server, "/stream", "rtsp"))
    with Server(lambda line, _request, _server: line.sendall(b"HTTP/1.1 400 Bad\r\n\r\n")) as server:
        assert "isn't a picture" in refusal(address(server, "/stream", "rtsp"))


def test_an_rtsp_camera_is_read_where_its_name_was_checked(monkeypatch):
    """FFmpeg would look the name up by itself, and it can lead elsewhere by then."""
    monkeypatch.setattr(outgoing, "addresses_of", lambda _name, _within_s: ["127.0.0.1"])
    with Server(rtsp(itertools.repeat(120))) as server:
        spec = address(server, "/stream", "rtsp").replace("127.0.0.1", "camera.example")
        with pytest.raises(outgoing.NotOutside), contextlib.closing(rtsp_pictures(spec)) as pictures:
            next(pictures)
        assert server.requests == []
        monkeypatch.setattr(outgoing, "only_here", lambda _address: False)
        with contextlib.closing(rtsp_pictures(spec)) as pictures:
            assert abs(next(pictures).mean() - 120) < 5


def test_an_rtsp_camera_that_drips_is_waited_for_once(monkeypatch):
    monkeypatch.setattr(rtsp_source, "CONNECT_S", 0.5)

    def drip(line, _request, server):
        for _byte in range(100):
            line.sendall(b"R")
            if server.ended.wait(0.1):
                return

    with Server(drip) as server:
        began_s = time.monotonic()
        with pytest.raises(TimeoutError):
            described(address(server, "/stream", "rtsp"))
        assert time.monotonic() - began_s < 5


# the processes


def command_line(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def whole_family(pid):
    return [pid, *(each for child in children_of(pid) for each in whole_family(child))]


@contextlib.contextmanager
def watched(spec, tmp_path):
    """The statuses of the real vision process at this camera, and its supervisor."""
    statuses = []
    supervisor = Supervisor(
        "vision.process.main:watch_without_network",
        (spec, 0, tmp_path / "scene.json"),
        lambda _message: None,
        lambda _name, state, text: statuses.append((state, str(text))),
    )
    supervisor.start()
    try:
        yield statuses, supervisor
    finally:
        supervisor.stop()


def until(holds):
    until_s = time.monotonic() + SOON_S
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.05)


def test_the_process_with_the_camera_reads_the_network_through_another_and_tries_again(tmp_path):
    goes_on = []

    def answer(line, request, server):
        if not goes_on:
            answered(line, "404 Not Found", "text/html", b"?")
        elif len(goes_on) == 1:
            begun(line)
            for level in range(60, 200, 5):
                line.sendall(part(picture(level)))
                server.ended.wait(0.02)
            line.sendall(part(picture(200))[:500])
        else:
            streams(itertools.chain(range(60, 200, 10), itertools.repeat(200)))(line, request, server)

    with Server(guarded(answer, "Digest")) as server, watched(address(server, "/v"), tmp_path) as (said, supervisor):
        until(lambda: any("nothing at this path" in text for _state, text in said))
        goes_on.append(True)
        until(lambda: said[-1] == ("ok", "The camera sees the table."))
        until(lambda: any("ended the connection" in text for _state, text in said))  # in the middle of a picture
        goes_on.append(True)
        until(lambda: said[-1] == ("ok", "The camera sees the table."))
        family = whole_family(supervisor.pid)
        assert len(family) >= 2  # the fetcher
        assert all(PASSWORD.encode() not in command_line(pid) for pid in family)
        assert PASSWORD not in str(said)
    until(lambda: not any(Path(f"/proc/{pid}").exists() and command_line(pid) for pid in family))


def test_the_fetchers_start_has_a_limit_of_its_own(monkeypatch):
    """A machine so busy that the start takes longer than any answer may."""
    monkeypatch.setattr(fetcher, "ANSWER_S", 1.0)
    monkeypatch.setattr(fetcher, "COMMAND", "import time; time.sleep(2); " + fetcher.COMMAND)
    with Server(streams(itertools.repeat(100))) as server:
        assert levels_of(open_camera(address(server)), 1) == [100]


@pytest.mark.parametrize("command", ["", "import time; time.sleep(1000)"])
def test_a_fetcher_that_does_not_start_is_one_sentence(command, monkeypatch):
    monkeypatch.setattr(fetcher, "START_S", 1.0)
    monkeypatch.setattr(fetcher, "COMMAND", command)
    with pytest.raises(CameraUnavailable, match=GONE), open_camera("http://127.0.0.1:9/"):
        pass


def test_a_fetcher_that_dies_is_started_again(tmp_path):
    with (
        Server(streams(itertools.cycle(range(60, 200)))) as server,
        watched(address(server, "/v"), tmp_path) as (said, supervisor),
    ):
        until(lambda: ("ok", "The camera sees the table.") in said)
        for each in children_of(supervisor.pid):
            os.kill(each, 9)
        until(lambda: any(state == "down" and text.startswith(GONE + " It restarts in") for state, text in said))
        until(lambda: said[-1] == ("ok", "The camera sees the table."))


# names and passwords


def test_an_address_is_shown_by_its_host_alone():
    assert without_secrets("rtsp://me:pass@Cam.local:8554/h264?user=me&pwd=pass") == "rtsp://cam.local:8554"
    assert without_secrets("http://me:pass@[fe80::1]/user=me_password=pass") == "http://[fe80::1]"
    assert [without_secrets(name) for name in ("0", "picamera", "/dev/video0")] == ["0", "picamera", "/dev/video0"]


@pytest.mark.parametrize("wrong", ["rtsps://me:pass@cam/1", "RTMP://me:pass@cam/1", "udp://@:1234", "file:///pass.mp4"])
def test_an_address_of_another_kind_is_one_sentence_that_does_not_repeat_it(wrong):
    with pytest.raises(CameraUnavailable, match=r"begins with rtsp://, http:// or https://") as caught:
        open_camera(wrong)
    assert "pass" not in str(caught.value)


@pytest.mark.parametrize("wrong", ["rtsp://", "http://me:pass@/x", "http://h:99999/", "http://[::1", "http://a b/"])
def test_what_can_be_no_address_is_one_sentence_that_does_not_repeat_it(wrong):
    assert is_address(wrong)
    with pytest.raises(BadInput, match="no address of a camera") as caught:
        parts_of(wrong)
    assert "pass" not in str(caught.value)
    with pytest.raises(CameraUnavailable, match="no address of a camera"):
        open_camera(wrong)


def test_doctor_looks_through_it_and_its_command_line_hides_it(tmp_path):
    titles = []

    def answer(line, request, server):
        titles.extend(command_line(pid) for pid in whole_family(process.pid))
        streams(itertools.repeat(100))(line, request, server)

    with Server(guarded(answer, "Basic")) as server:
        command = ["doctor", "--json", "--patience", "20", "--data", str(tmp_path), "--camera", address(server, "/v")]
        process = subprocess.Popen(
            [sys.executable, "-m", "companion", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        output, errors = process.communicate(timeout=SOON_S)
    check = next(row for row in json.loads(output)["checks"] if row["name"] == "camera")
    assert (check["light"], check["text"]) == (
        "green",
        f"The camera http://127.0.0.1:{server.port} gives pictures of 320 × 240 pixels.",
    )
    assert PASSWORD not in output + errors
    assert titles
    assert all(PASSWORD.encode() not in title for title in titles)


@pytest.mark.parametrize("scheme", ["http", "rtsp"])
def test_the_head_of_an_answer_comes_within_a_time_in_all(scheme, monkeypatch):
    def dripping(line, _request, server):
        line.sendall(b"HTTP/1.1 200 OK\r\n" if scheme == "http" else b"RTSP/1.0 200 OK\r\n")
        while not server.ended.wait(0.05):
            line.sendall(b"a")

    source = http_source if scheme == "http" else rtsp_source
    read = http_source.http_pictures if scheme == "http" else rtsp_source.rtsp_pictures
    monkeypatch.setattr(source, "CONNECT_S", 0.4)
    with Server(dripping) as server:
        began_s = time.monotonic()
        with pytest.raises(TimeoutError):
            next(read(address(server, scheme=scheme)))
        assert time.monotonic() - began_s < 5


def test_what_a_stream_needs_of_ffmpeg_is_no_setting_of_the_program(monkeypatch):
    """Left behind, it gave the pictures of a video file times that were one picture too early."""
    monkeypatch.setattr(rtsp_source, "described", lambda address: address)
    with pytest.raises(NoSource):
        next(rtsp_source.rtsp_pictures("rtsp://127.0.0.1:1/none"))
    assert rtsp_source.OPTIONS not in os.environ
