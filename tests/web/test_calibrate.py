"""Setting the camera up: what the page shows of what the camera's process saw, and what is kept of it."""

import json
import re
import threading
from dataclasses import replace

import pytest

from companion.cameras.live_view import WATCHED_US
from companion.cameras.set_up import CameraSetUp
from companion.game.readings.mat import LookAtMat, MatCheck, MatSeen, UseScene, Verdict
from tests.parts import connect

GOOD = MatSeen(
    b"\xff\xd8jpeg",
    "webcam",
    (MatCheck("markers", Verdict.OK, "I see all 8 markers of the mat."),),
    {"die_size_mm": 16.0, "board": {"n": 6, "cell_mm": 24.0}, "colour_rgb": {"red": [190.0, 20.0, 30.0]}},
    {"red": (190.0, 20.0, 30.0)},
)
BAD = MatSeen(b"\xff\xd8jpeg", "webcam", (MatCheck("light", Verdict.BAD, "It's too dark. Turn on a lamp."),))


@pytest.fixture
def sent(host, tmp_path):
    """Commands to the vision process, of a house that has a camera."""
    commands = []
    told = []
    connect(host, camera_set_up=CameraSetUp(tmp_path / "scene.json", commands.append, host.clock, told.append))
    host.outside.camera_set_up.told = told
    return commands


def test_a_house_without_a_camera_says_so(client):
    assert "No camera" in client.get("/calibrate").text
    answer = client.post("/calibrate/save", headers={"X-Requested-With": "companion"})
    assert answer.status_code == 503
    assert "This table has no camera above it" in answer.json["error"]


def test_looking_ends_by_itself(client, host, sent):
    client.get("/calibrate/parts")
    (wish,) = sent
    assert isinstance(wish, LookAtMat)
    left_us = wish.until_us - host.clock.now_us()
    assert 0 < left_us <= WATCHED_US
    assert host.outside.camera_set_up.told == [True]
    host.outside.camera_set_up.end_if_unwatched()
    assert host.outside.camera_set_up.told == [True]
    host.clock.offset_us += WATCHED_US + 1
    host.outside.camera_set_up.end_if_unwatched()
    assert host.outside.camera_set_up.told == [True, False]
    assert host.outside.camera_set_up.newest() is None


@pytest.mark.parametrize(
    "written",
    [
        '{"colour_rgb": null}',
        '{"colour_rgb": {"red": 5}}',
        '{"colour_rgb": {"red": [NaN, 1, 2]}}',
        '{"block_mm_long_mid_short": [75, 25]}',
        '{"block_mm_long_mid_short": null}',
        "[" * 100_000,
    ],
)
def test_a_scene_that_somebody_wrote_wrongly_leaves_the_page_that_mends_it(client, host, sent, written):
    connect(host, front_set_up=host.outside.camera_set_up)
    host.outside.camera_set_up.path.write_text(written)
    for page in ("/calibrate", "/calibrate/parts", "/calibrate/front"):
        assert client.get(page).status_code == 200


def test_what_is_chosen_reaches_the_camera(client, sent):
    client.get("/calibrate/parts?lens=hq-6mm&die=12,5&cell=25")
    assert (sent[-1].lens, sent[-1].die_mm, sent[-1].cell_mm) == ("hq-6mm", 12.5, 25.0)
    client.get("/calibrate/parts?lens=periscope")
    assert (sent[-1].lens, sent[-1].die_mm, sent[-1].cell_mm) == ("", 16.0, None)


def test_pieces_and_boxes_are_asked_for_and_what_was_measured_is_asked_for_again(client, host, sent, tmp_path):
    client.get("/calibrate/parts?diameter=21,5&thickness=1.5&unit=15")
    assert (sent[-1].diameter_mm, sent[-1].thickness_mm, sent[-1].unit_mm) == (21.5, 1.5, 15.0)
    client.get("/calibrate/parts?diameter=&thickness=&unit=")
    assert (sent[-1].diameter_mm, sent[-1].thickness_mm, sent[-1].unit_mm) == (None, None, None)
    measured = {"piece": {"diameter_mm": 21.5, "thickness_mm": 1.5}, "unit_mm": 15.0, "die_size_mm": 12.0}
    host.outside.camera_set_up.hear(replace(GOOD, scene={**GOOD.scene, **measured}))
    parts = client.get("/calibrate/parts").text
    assert "Pieces 21.5 mm wide and 1.5 mm thick." in parts
    assert 'data-diameter="21.5" data-thickness="1.5" data-unit="15.0"' in parts
    client.post("/calibrate/save")
    page = client.get("/calibrate").text
    for name, usual in (("diameter", "21.5"), ("thickness", "1.5"), ("unit", "15"), ("die", "12")):
        assert re.search(rf'name="{name}" [^>]*value="{usual}"', page)
    client.get("/calibrate/parts")
    assert (sent[-1].die_mm, sent[-1].diameter_mm, sent[-1].unit_mm) == (12.0, 21.5, 15.0)


def test_what_was_measured_stays_when_a_mat_without_it_is_set_up(client, host, sent):
    client.get("/calibrate/parts")
    host.outside.camera_set_up.hear(
        replace(GOOD, scene={"piece": {"diameter_mm": 20.0, "thickness_mm": 4.0}, "unit_mm": 15.0})
    )
    client.post("/calibrate/save")
    host.outside.camera_set_up.hear(replace(GOOD, scene={"die_size_mm": 16.0}))
    client.post("/calibrate/save")
    assert (
        host.outside.camera_set_up.scene()["piece"]["diameter_mm"],
        host.outside.camera_set_up.scene()["unit_mm"],
    ) == (20.0, 15.0)


@pytest.mark.parametrize("odd", [{"piece": 3}, {"piece": {"diameter_mm": "wide"}}, {"die_size_mm": [16]}])
def test_lengths_that_are_none_in_the_file_are_left_out(client, sent, tmp_path, odd):
    (tmp_path / "scene.json").write_text(json.dumps(odd))
    assert client.get("/calibrate").status_code == 200
    assert (sent[-1].die_mm, sent[-1].diameter_mm) == (16.0, None)


@pytest.mark.parametrize("wrong", ["die=1", "die=nan", "cell=inf", "die=ten", "die=9999"])
def test_a_length_that_is_none_is_refused_beside_the_living_picture(client, host, sent, wrong):
    client.get("/calibrate/parts")
    host.outside.camera_set_up.hear(GOOD)
    page = client.get(f"/calibrate/parts?{wrong}").text
    assert "A length must be 5 to 60 mm. Measure again." in page
    assert "/calibrate/picture.jpg" in page
    assert " disabled" in page
    assert (sent[-1].die_mm, sent[-1].cell_mm) == (16.0, None)  # the camera goes on looking
    assert " disabled" not in client.get("/calibrate/parts?die=18").text


def test_each_check_is_shown_and_only_a_good_picture_can_be_saved(client, host, sent, tmp_path):
    host.outside.camera_set_up.hear(BAD)
    page = client.get("/calibrate/parts").text
    assert "It&#39;s too dark" in page
    assert " disabled" in page
    refused = client.post("/calibrate/save", headers={"X-Requested-With": "companion"})
    assert refused.status_code == 400
    assert refused.json["error"] == "It's too dark. Turn on a lamp."
    assert not (tmp_path / "scene.json").exists()
    host.outside.camera_set_up.hear(GOOD)
    page = client.get("/calibrate/parts").text
    assert " disabled" not in page
    assert "6 × 6 squares of 24 mm" in page
    assert client.post("/calibrate/save").status_code == 303
    assert json.loads((tmp_path / "scene.json").read_text())["die_size_mm"] == 16.0
    assert sent[-1] == UseScene(host.outside.camera_set_up.scene())
    assert "The camera is set up" in client.get("/calibrate/parts").text


def test_the_picture_is_that_of_the_last_look_and_never_kept(client, host, sent, tmp_path):
    assert client.get("/calibrate/picture.jpg").status_code == 404
    client.get("/calibrate/parts")
    host.outside.camera_set_up.hear(GOOD)
    assert client.get("/calibrate/picture.jpg").data == GOOD.jpeg
    assert [path.suffix for path in tmp_path.iterdir() if path.suffix in (".jpg", ".jpeg")] == []


def test_colours_stay_when_the_camera_is_set_up_again_and_can_be_forgotten(client, host, sent):
    client.get("/calibrate/parts")
    host.outside.camera_set_up.hear(GOOD)
    client.post("/calibrate/save")
    blue = {"colour_rgb": {"blue": [10.0, 20.0, 200.0]}}
    host.outside.camera_set_up.hear(MatSeen(b"", "webcam", GOOD.checks, blue, {"blue": (10.0, 20.0, 200.0)}))
    client.post("/calibrate/save")
    assert set(host.outside.camera_set_up.scene()["colour_rgb"]) == {"red", "blue"}
    assert "#0a14c8" in client.get("/calibrate/parts").text
    client.post("/calibrate/forget-colours")
    assert host.outside.camera_set_up.scene()["colour_rgb"] == {}
    client.post("/calibrate/forget")
    assert host.outside.camera_set_up.scene() == {}
    assert sent[-1] == UseScene({})


def test_a_scene_that_cannot_be_forgotten_is_one_sentence_and_stays(client, host, sent):
    host.outside.camera_set_up.path.mkdir()  # as a disk that can only be read, it is not to be removed
    refused = client.post("/calibrate/forget", headers={"X-Requested-With": "companion"})
    assert (refused.status_code, "scene.json can't be written" in refused.json["error"]) == (400, True)
    assert sent == []


@pytest.mark.parametrize("act", ["save", "forget_colours"])
def test_a_lesson_given_at_the_same_moment_is_not_lost(host, sent, monkeypatch, act):
    camera = host.outside.camera_set_up
    camera.hear(GOOD)
    was_read, was_taught, read = threading.Event(), threading.Event(), camera.scene

    def slowly():
        fields = read()
        was_read.set()
        was_taught.wait(0.2)  # the lesson waits for its turn, and this for nothing
        return fields

    with monkeypatch.context() as patch:
        patch.setattr(camera, "scene", slowly)
        other = threading.Thread(target=getattr(camera, act))
        other.start()
        assert was_read.wait(5)
    camera.teach("blue", "a look", {1: (10.0, 20.0, 200.0)}, anew=False)
    was_taught.set()
    other.join()
    assert camera.scene()["colour_rgb"]["blue"] == [10.0, 20.0, 200.0]


def test_a_touched_die_reaches_the_camera_and_nonsense_does_not(client, sent):
    headers = {"X-Requested-With": "companion"}
    client.get("/calibrate/parts")
    assert client.post("/calibrate/colour", json={"colour": "red", "x": 0.25, "y": 0.5}).status_code == 200
    assert (sent[-1].tap.colour, sent[-1].tap.x, sent[-1].tap.y) == ("red", 0.25, 0.5)
    for wrong in ({"colour": "plaid", "x": 0.2, "y": 0.5}, {"colour": "red", "x": 2, "y": 0.5}, {}):
        assert client.post("/calibrate/colour", json=wrong, headers=headers).status_code == 400


def test_a_damaged_file_is_none_and_is_mended_by_saving(client, host, sent, tmp_path):
    (tmp_path / "scene.json").write_text("{")
    client.get("/calibrate/parts")
    host.outside.camera_set_up.hear(GOOD)
    client.post("/calibrate/save")
    assert host.outside.camera_set_up.scene()["die_size_mm"] == 16.0


def test_everybody_sees_that_somebody_looks(client, host):
    host.status.set("watched", "warn", "Someone is setting up the camera.")
    assert "Someone is setting up the camera" in client.get("/").text
    host.status.clear("watched")
    assert "Someone is setting up the camera" not in client.get("/").text


@pytest.fixture
def sent_front(host, tmp_path):
    """Commands to the vision process of a camera at table height."""
    commands = []
    connect(
        host, front_set_up=CameraSetUp(tmp_path / "scene-front.json", commands.append, host.clock, lambda watched: None)
    )
    return commands


STACKS = MatSeen(
    b"\xff\xd8front",
    "webcam",
    (MatCheck("markers", Verdict.OK, "I see all 6 markers of the mat."),),
    {"space_centres_mm": [[-72.5, 52.0], [72.5, 52.0]], "block_mm_long_mid_short": [60.0, 40.0, 20.0]},
)


def test_the_front_camera_has_a_page_of_its_own(client, host, sent, sent_front, tmp_path):
    assert "no camera at table height" not in client.get("/calibrate/front").text
    assert sent_front[-1].block_mm == (45.0, 30.0, 15.0)  # of our own deck
    client.get("/calibrate/front/parts?long=20&middle=60&short=40,0")
    assert sent_front[-1].block_mm == (60.0, 40.0, 20.0)  # in whatever order they were measured
    assert sent == []
    host.outside.front_set_up.hear(STACKS)
    assert "2 stacking spaces" in client.get("/calibrate/front/parts").text
    assert client.get("/calibrate/front/picture.jpg").data == STACKS.jpeg
    assert client.get("/calibrate/picture.jpg").status_code == 404
    saved = client.post("/calibrate/front/save")
    assert (saved.status_code, saved.location) == (303, "/calibrate/front")
    scene = json.loads((tmp_path / "scene-front.json").read_text())
    assert scene["space_centres_mm"] == [[-72.5, 52.0], [72.5, 52.0]]
    assert not (tmp_path / "scene.json").exists()
    assert 'value="60"' in client.get("/calibrate/front").text  # what was measured is asked for again
    client.post("/calibrate/front/forget")
    assert sent_front[-1] == UseScene({})


@pytest.mark.parametrize("wrong", ["long=1", "short=nan", "middle=101", "long=9999"])
def test_what_is_no_block_is_refused_beside_the_living_picture(client, host, sent_front, wrong):
    client.get("/calibrate/front/parts")
    host.outside.front_set_up.hear(STACKS)
    page = client.get(f"/calibrate/front/parts?{wrong}").text
    assert "A length must be 5 to 100 mm. Measure again." in page
    assert "/calibrate/front/picture.jpg" in page
    assert " disabled" in page
    assert sent_front[-1].block_mm == (45.0, 30.0, 15.0)  # the camera goes on looking
    assert " disabled" not in client.get("/calibrate/front/parts?middle=31").text


def test_what_no_mat_says_is_kept_when_the_front_camera_is_set_up_again(client, host, sent_front, tmp_path):
    round_ones = {"cylinder_mm_diameter_height": [40.0, 40.0], "space_centres_mm": [[0.0, 0.0]]}
    (tmp_path / "scene-front.json").write_text(json.dumps(round_ones))
    client.get("/calibrate/front/parts")
    host.outside.front_set_up.hear(STACKS)
    client.post("/calibrate/front/save")
    scene = host.outside.front_set_up.scene()
    assert scene["cylinder_mm_diameter_height"] == [40.0, 40.0]
    assert scene["space_centres_mm"] == [[-72.5, 52.0], [72.5, 52.0]]


def test_each_page_leads_to_the_other_where_there_are_two_cameras(client, sent, sent_front):
    assert 'href="/calibrate/front"' in client.get("/calibrate").text
    assert 'href="/calibrate"' in client.get("/calibrate/front").text
    assert 'href="/calibrate/front"' in client.get("/wizard").text


def test_without_a_front_camera_the_pages_say_so_and_lead_nowhere(client, sent):
    assert "no camera at table height" in client.get("/calibrate/front").text
    assert client.post("/calibrate/front/save", headers={"X-Requested-With": "companion"}).status_code == 503
    assert "/calibrate/front" not in client.get("/calibrate").text
    assert "/calibrate/front" not in client.get("/wizard").text
