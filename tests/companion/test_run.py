"""What `companion run` starts with what it finds."""

import socket
from contextlib import ExitStack

import pytest
from click.testing import CliRunner

from companion.app.cli import run as module
from companion.app.cli.run import run
from companion.app.service.camera_process import CamerasElsewhere
from companion.errors import BadInput, HardwareUnavailable


@pytest.fixture
def planned(monkeypatch, tmp_path):
    """The plan that these arguments lead to, on a machine that has this camera."""
    plans = []

    def serve(plan, listener, secure=None):
        listener.close()
        plans.append(plan)

    def planned(*arguments, camera=None):
        monkeypatch.setattr("companion.app.service.server.serve", serve)
        monkeypatch.setattr(module, "camera_here", lambda: camera)
        result = CliRunner().invoke(run, ["--port", "0", "--host", "127.0.0.1", "--data", str(tmp_path), *arguments])
        assert result.exit_code == 0, result.output
        return plans.pop()

    return planned


@pytest.fixture
def refused(tmp_path):
    """The sentence with which these arguments are refused."""

    def refused(*arguments):
        result = CliRunner().invoke(run, ["--port", "0", "--data", str(tmp_path), *arguments])
        assert isinstance(result.exception, BadInput), result.output
        return str(result.exception)

    return refused


def test_without_camera_and_box_it_is_the_demo(planned):
    plan = planned()
    assert (plan.demo, plan.camera, plan.table_toml) == (True, "virtual", None)


def test_a_box_without_a_camera_is_a_table_too(planned, tmp_path):
    (tmp_path / "table.toml").touch()
    plan = planned()
    assert (plan.demo, plan.camera, plan.table_toml) == (False, "none", tmp_path / "table.toml")


def test_a_camera_that_is_found_is_used(planned, tmp_path):
    assert (planned(camera="0").demo, planned(camera="0").camera) == (False, "0")


@pytest.mark.parametrize(("there", "camera"), [("picamera", "picamera"), (None, "virtual")])
def test_the_process_with_the_cameras_says_what_is_there(planned, monkeypatch, tmp_path, there, camera):
    monkeypatch.setattr(CamerasElsewhere, "look", lambda self: there)
    plan = planned("--cameras-from", str(tmp_path / "socket"), camera="0")  # this process may see one and not open it
    assert (plan.camera, plan.cameras.path) == (camera, tmp_path / "socket")


@pytest.mark.parametrize(("on_a_pi", "camera"), [(True, "picamera"), (False, "0")])
def test_cameras_that_do_not_answer_yet_are_said_and_waited_for(planned, monkeypatch, tmp_path, on_a_pi, camera):
    def look(self):
        raise FileNotFoundError

    said = []
    monkeypatch.setattr(CamerasElsewhere, "look", look)
    monkeypatch.setattr(module, "is_a_pi", lambda: on_a_pi)
    monkeypatch.setattr(module.click, "echo", said.append)
    plan = planned("--cameras-from", str(tmp_path / "socket"))
    assert (plan.demo, plan.camera) == (False, camera)
    assert [str(tmp_path / "socket") in sentence for sentence in said] == [True]


def test_a_pi_may_have_two_cameras(planned):
    plan = planned("--camera", "picamera", "--front", "picamera1")
    assert (plan.camera, plan.front) == ("picamera", "picamera1")
    plan = planned("--front", "picamera0", camera="0")  # a webcam above the table
    assert (plan.camera, plan.front) == ("0", "picamera0")


@pytest.mark.parametrize(
    ("camera", "front"), [("1", "1"), ("picamera", "picamera"), ("picamera0", "picamera"), ("picamera1", "picamera1")]
)
def test_one_camera_cannot_stand_in_two_places(refused, camera, front):
    said = refused("--camera", camera, "--front", front)
    assert said.startswith(f"--camera {camera} and --front {front} are one camera: ")


def test_what_is_no_camera_is_one_sentence(refused):
    assert refused("--camera", "none", "--front", "picamera10").startswith("There is no camera, folder or video picam")


def test_a_device_may_be_plugged_in_later(planned):
    plan = planned("--camera", "/dev/video99", "--front", "/dev/v4l/by-id/usb-Maker_Camera-index0")
    assert (plan.camera, plan.front) == ("/dev/video99", "/dev/v4l/by-id/usb-Maker_Camera-index0")


@pytest.mark.parametrize("text", ["[[seat]", "[[seat]]\nbutton = 99\nled = 3\n", "[seat]\nbutton = 2\n"])
def test_a_named_table_that_cannot_be_built_is_one_sentence(monkeypatch, tmp_path, text):
    monkeypatch.setattr("companion.app.service.server.serve", lambda _plan, listener, _secure: listener.close())
    (tmp_path / "mine.toml").write_text(text)
    for demo in ((), ("--demo",)):
        arguments = ["--port", "0", "--data", str(tmp_path), "--table", str(tmp_path / "mine.toml"), *demo]
        why = CliRunner().invoke(run, arguments).exception
        assert isinstance(why, HardwareUnavailable)
        assert ".toml" in why.sentence


def test_the_demo_simulates_its_box(planned, tmp_path):
    (tmp_path / "table.toml").touch()
    assert planned("--demo").table_toml is None


def test_silence_can_be_asked_for(planned):
    assert planned("--silent").silent
    assert not planned().silent


@pytest.fixture
def taken():
    """Two ports, one after the other, on which other programs listen; the second one's number."""
    with ExitStack() as others:
        while True:
            first = others.enter_context(socket.create_server(("127.0.0.1", 0)))
            port = first.getsockname()[1]
            try:
                others.enter_context(socket.create_server(("127.0.0.1", port + 1)))
            except (OSError, OverflowError):
                continue
            yield port + 1
            return


def suggested(refused, port):
    said = refused("--host", "127.0.0.1", "--camera", "none", "--port", str(port))
    assert f"Port {port} cannot be used" in said
    return int(said.rstrip(".").rsplit("--port ", 1)[1])


def test_the_port_named_instead_of_a_taken_one_is_free(refused, taken):
    port = suggested(refused, taken - 1)
    assert port != taken
    socket.create_server(("127.0.0.1", port)).close()


def test_past_the_last_port_any_free_one_is_named(refused):
    try:
        last = socket.create_server(("127.0.0.1", 65535))
    except OSError:
        pytest.skip("Somebody else has the last port.")
    with last:
        assert suggested(refused, 65535) == 0


def test_an_address_of_another_machine_is_said_whatever_the_port(refused):
    assert "no address of this machine" in refused("--host", "192.0.2.1", "--camera", "none", "--port", "8000")


def test_proxies_are_addresses_or_networks_and_anything_else_is_one_sentence(planned, refused):
    assert planned("--demo").proxies == ()
    named = planned("--demo", "--proxy", "192.168.1.5", "--proxy", "172.17.0.9/16").proxies
    assert [str(each) for each in named] == ["192.168.1.5/32", "172.17.0.0/16"]
    assert refused("--demo", "--proxy", "proxy.local").startswith("proxy.local is no address of a proxy")


@pytest.mark.parametrize(
    "address", ["http://ha.local:8123", "http://ha.local:8123/", "https://ha.example.org", "http://[::1]:8123/"]
)
def test_a_site_that_may_show_the_board_is_named_as_a_browsers_bar_shows_it(planned, address):
    assert planned("--camera", "none", "--allow-frame", address).frames == (address.removesuffix("/"),)


@pytest.mark.parametrize(
    "address",
    ["ha.local", "*", "null", "http://a b", "https://*.example.org", "http://ha.local:99999", "http://ha.local/board"],
)
def test_what_is_no_site_may_not_show_the_board(refused, address):
    assert refused("--camera", "none", "--allow-frame", address).startswith(f"{address} is no origin of a site")
