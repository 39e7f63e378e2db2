"""Whose dice are which, from the camera's last look; consent to learning, and what the house does with what is kept."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from companion.cameras.set_up import CameraSetUp
from companion.game.readings import DiceReading, DieReading, Settled
from companion.game.readings.mat import UseScene
from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.sensing.looks import Looks
from tests.parts import connect
from web.app import create_app

RED, ORANGE, BLUE = (190.0, 30.0, 40.0), (215.0, 95.0, 30.0), (30.0, 60.0, 170.0)


def die(colour, body, cx, value=3, confidence=0.999):
    return DieReading(value, cx, 50, 40, 40, 0, colour, confidence, confidence > 0.97, ((value, 1.0),), 0.97, body)


def look(*dice):
    crops = tuple(b"\xff\xd8crop%d" % number for number in range(len(dice)))
    return Settled(DiceReading(640, 480, dice), 1, 2, b"frame", crops)


@pytest.fixture
def sent(host, tmp_path):
    """Commands to the vision process, of a house that has a camera."""
    commands = []
    connect(
        host, camera_set_up=CameraSetUp(tmp_path / "scene.json", commands.append, host.clock, lambda _watched: None)
    )
    return commands


@pytest.fixture
def stack(host, sent):
    return host.create("stack_dice", ["Ann", "Bob"], {})


def scene(host):
    return json.loads(host.outside.camera_set_up.path.read_text())


def page_of(client, table):
    return client.get(f"/s/{table.session.id}/colours")


def tell(client, table, colour, *dice, back=False):
    text = page_of(client, table).text
    shown = text.split('name="look" value="')[1].split('"')[0] if 'name="look"' in text else ""
    return client.post(
        f"/s/{table.session.id}/colours{'/back' if back else ''}",
        data={"colour": colour, "die": [str(number) for number in dice], "look": shown},
        follow_redirects=True,
    )


def guest(host, ticket):
    """A device in the network."""
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
    return device


def test_a_roll_that_names_no_players_colour_leads_to_the_page_that_mends_it(client, host, stack):
    assert "/colours" not in client.get(f"/s/{stack.session.id}/sheet").text
    host.on_reading(look(die("orange", RED, 100), die("blue", BLUE, 200)))
    assert host.remarks.of(stack.session.id)
    assert f"/s/{stack.session.id}/colours" in client.get(f"/s/{stack.session.id}/sheet").text
    page = page_of(client, stack).text
    assert page.index("read as orange") < page.index("read as blue")
    assert client.get(f"/s/{stack.session.id}/colours/1.jpg").data == b"\xff\xd8crop0"
    assert client.get(f"/s/{stack.session.id}/colours/3.jpg").status_code == 404


def test_these_are_reds_dice(client, host, stack, sent):
    host.on_reading(look(die("orange", RED, 100), die("blue", BLUE, 200)))
    assert "Dice like these are red" in tell(client, stack, "red", 1).text
    assert scene(host)["colour_rgb"] == {"red": list(RED)}
    assert isinstance(sent[-1], UseScene)
    assert (sent[-1].scene["colour_rgb"], sent[-1].anew) == ({"red": list(RED)}, True)  # what lies there is read again
    assert "Undo the last answer about red" in page_of(client, stack).text
    assert "Taken back" in tell(client, stack, "red", back=True).text
    assert scene(host)["colour_rgb"] == {}


def test_a_colour_that_is_known_follows_two_dice_and_not_one_that_is_touched_twice(client, host, stack):
    host.outside.camera_set_up.path.write_text(
        json.dumps({"colour_rgb": {"red": list(RED)}})
    )  # as calibration leaves it
    blue = die("blue", BLUE, 200)
    host.on_reading(look(die("orange", ORANGE, 100), blue))
    for _touch in range(2):
        assert "Noted" in tell(client, stack, "red", 1).text
    host.on_reading(look(die("orange", (217.0, 94.0, 31.0), 101), blue))  # what lies there is read again
    assert "Noted" in tell(client, stack, "red", 1).text
    assert scene(host)["colour_rgb"]["red"] == list(RED)
    host.on_reading(look(blue, die("orange", ORANGE, 300)))
    assert "from now on" in tell(client, stack, "red", 2).text
    assert scene(host)["colour_rgb"]["red"] == list(ORANGE)


def test_a_page_from_before_a_restart_teaches_nothing(client, host, stack):
    """The look of then was another, although as many readings were taken since."""
    host.on_reading(look(die("orange", ORANGE, 100)))
    page = page_of(client, stack).text
    host.looks = Looks(host.asking, host.questions, host.remarks, host.live)
    host.on_reading(look(die("blue", BLUE, 300)))
    stale = page.split('name="look" value="')[1].split('"')[0]
    form = {"colour": "red", "die": "1", "look": stale}
    assert "looked again" in client.post(f"/s/{stack.session.id}/colours", data=form).text
    assert not host.outside.camera_set_up.path.exists()


def said(host):
    """Colour → the dice of each lesson that counts."""
    return {colour: each["lessons"] for colour, each in scene(host)["colours_said"].items()}


def test_a_die_that_was_named_for_another_by_a_slip_is_the_other_ones_no_more(client, host, stack):
    host.outside.camera_set_up.path.write_text(
        json.dumps({"colour_rgb": {"red": list(RED)}})
    )  # as calibration leaves it
    host.on_reading(look(*(die("", (30.0, 60.0, 170.0 + cx), cx) for cx in (10, 100, 200))))
    first, second, third = ([30.0, 60.0, 170.0 + cx] for cx in (10, 100, 200))
    tell(client, stack, "red", 1, 2)
    tell(client, stack, "red", 3)
    tell(client, stack, "blue", 1, 2)
    assert said(host) == {"red": [[third]], "blue": [[first, second]]}
    tell(client, stack, "blue", 3)
    assert said(host) == {"blue": [[first, second], [third]]}
    assert scene(host)["colour_rgb"]["red"] == list(RED)
    tell(client, stack, "red", 2)
    assert said(host) == {"red": [[second]], "blue": [[first], [third]]}
    tell(client, stack, "blue", back=True)
    tell(client, stack, "blue", 3)
    assert said(host) == {"red": [[second]], "blue": [[first], [third]]}


def test_a_lesson_that_cannot_be_written_leaves_what_was_said(client, host, stack):
    host.on_reading(look(die("orange", ORANGE, 100)))
    tell(client, stack, "red", 1)
    beside = host.outside.camera_set_up.path.with_suffix(".new")
    beside.mkdir()
    assert "can&#39;t be written" in tell(client, stack, "blue", 1).text
    beside.rmdir()
    assert said(host) == {"red": [[list(ORANGE)]]}
    tell(client, stack, "blue", 1)
    assert said(host) == {"blue": [[list(ORANGE)]]}


def test_the_noise_of_a_pixel_makes_no_new_look_of_dice_one_above_the_other(client, host, stack):
    """The upper die stood further left, now the lower one does: each keeps its place and its picture."""
    upper, lower = die("orange", ORANGE, 100), replace(die("blue", BLUE, 101), cy=200)
    host.on_reading(look(upper, lower))
    before = host.looks.dice_in_view(stack.session.id)
    host.on_reading(look(replace(lower, cx=100), replace(upper, cx=101)))
    after = host.looks.dice_in_view(stack.session.id)
    assert after.look == before.look
    assert [seen.body_rgb for seen in after.dice] == [ORANGE, BLUE]
    assert after.jpegs == (b"\xff\xd8crop1", b"\xff\xd8crop0")
    host.on_reading(look(replace(lower, cx=100), replace(upper, cx=120)))
    moved = host.looks.dice_in_view(stack.session.id)
    assert moved.look != before.look
    assert [seen.body_rgb for seen in moved.dice] == [BLUE, ORANGE]


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_die_whose_lesson_was_taken_back_can_be_touched_again(client, host, stack, forgotten):
    host.on_reading(look(die("orange", ORANGE, 100)))
    tell(client, stack, "red", 1)
    if forgotten:
        client.post("/calibrate/forget-colours")
    else:
        tell(client, stack, "red", back=True)
    tell(client, stack, "red", 1)
    assert scene(host)["colours_said"]["red"]["lessons"] == [[list(ORANGE)]]


def test_nothing_is_read_again_once_the_game_went_on(client, host, stack, sent):
    host.on_reading(look(die("red", RED, 100), die("blue", BLUE, 200)))
    assert stack.seq == 1  # the start roll
    tell(client, stack, "red", 1)
    assert sent[-1].anew is False


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"colour": "red", "die": "1"}, "looked again"),
        ({"colour": "plaid", "die": "1"}, "whose"),
        ({"die": "1"}, "whose"),
        ({"colour": "red", "die": "1", "look": "7"}, "looked again"),
    ],
)
def test_what_is_missing_is_said_and_changes_nothing(client, host, stack, form, why):
    host.on_reading(look(die("orange", RED, 100)))
    answer = client.post(f"/s/{stack.session.id}/colours", data=form)
    assert answer.status_code == 400
    assert any(why in alert.split("<")[0] for alert in answer.text.split('role="alert">')[1:])
    assert not host.outside.camera_set_up.path.exists()


def test_no_die_touched_is_said_on_the_page_itself_and_the_choice_stays(client, host, stack):
    host.on_reading(look(die("orange", RED, 100)))
    refused = tell(client, stack, "red")
    assert "Touch the dice first" in refused.text
    assert refused.request.path == f"/s/{stack.session.id}/colours"
    assert 'value="red" checked' in refused.text
    assert 'value="1" checked' not in refused.text
    nobodys = tell(client, stack, "", 1)
    assert "Choose whose dice these are" in nobodys.text
    assert 'value="1" checked' in nobodys.text


def test_before_any_dice_were_seen_and_where_they_are_nobodys(client, host, stack, sack):
    assert "seen no dice" in page_of(client, stack).text
    assert "nobody has their own dice" in page_of(client, sack).text
    assert client.post(f"/s/{stack.session.id}/colours").status_code == 404


def test_only_players_tell(host, stack):
    device = guest(host, host.access.tickets.issue(Role.WATCHER))
    assert page_of(device, stack).status_code == 403
    assert device.get("/house/learned.zip").status_code == 403


# Ann's dice are red, Bob's are blue, and no one's are green
@pytest.mark.parametrize(
    ("role", "seat", "corrects", "has_the_table", "colour", "status"),
    [
        (Role.WATCHER, None, "players", True, "red", 403),
        (Role.PLAYER, None, "players", True, "red", 303),
        (Role.PLAYER, None, "players", True, "blue", 303),
        (Role.PLAYER, None, "players", True, "green", 400),
        (Role.PLAYER, None, "players", False, "red", 403),
        (Role.PLAYER, None, "host", True, "red", 403),
        (Role.PLAYER, 0, "players", True, "red", 303),
        (Role.PLAYER, 0, "players", True, "blue", 403),
        (Role.PLAYER, 0, "players", True, "green", 400),
        (Role.PLAYER, 0, "players", False, "red", 403),
        (Role.PLAYER, 0, "host", True, "red", 403),
        (Role.HOST, None, "host", True, "blue", 303),
        (Role.HOST, None, "host", False, "blue", 303),
    ],
)
@pytest.mark.parametrize("back", [False, True])
def test_who_may_say_whose_dice_are_which(
    client, host, stack, role, seat, corrects, has_the_table, colour, status, back
):
    session, players = stack.session.id, stack.session.players
    assert [stack.game.rules.colours(stack.state)[player] for player in players] == ["red", "blue"]
    host.on_reading(look(die("orange", RED, 100)))
    form = {"colour": colour, "die": "1", "look": host.looks.dice_in_view(session).look}
    rules(client, corrections=corrects)
    if not has_the_table:
        host.create("stack_dice", ["Cy", "Dot"], {})
    ticket = (
        host.access.tickets.issue(role)
        if seat is None
        else host.access.tickets.issue(role, session=session, player=players[seat])
    )
    asker = guest(host, ticket)
    assert asker.post(f"/s/{session}/colours{'/back' if back else ''}", data=form).status_code == status
    assert host.outside.camera_set_up.path.exists() is (status == 303)


def test_a_ticket_for_one_seat_is_shown_that_seats_colour_alone(client, host, stack):
    host.on_reading(look(die("orange", RED, 100)))
    ann = host.access.tickets.issue(Role.PLAYER, session=stack.session.id, player=stack.session.players[0])
    offered = 'name="colour" value="{}"'
    assert offered.format("blue") in page_of(client, stack).text
    page = page_of(guest(host, ann), stack).text
    assert (offered.format("red") in page, offered.format("blue") in page) == (True, False)


# the house


def rules(client, **more):
    return client.post(
        "/house/rules", data={"corrections": "players", "picture_days": "30", "auto_accept": "on"} | more
    )


def learn(host, table):
    host.on_reading(look(die("red", RED, 100), die("red", RED, 200, value=5)))
    table.amend(1, Rolled((3, 6)), Origin("correct"))


def test_learning_is_off_until_the_house_wants_it(client, host, sack):
    assert 'name="keep_corrections" aria-describedby="about-learning">' in client.get("/house").text
    learn(host, sack)
    assert client.get("/house/learned.zip").status_code == 404
    rules(client, keep_corrections="on")
    assert host.learner.keeps
    assert 'aria-describedby="about-learning" checked' in client.get("/house").text
    rules(client)
    assert not host.learner.keeps


def test_what_is_kept_is_counted_saved_and_deleted(client, host, sack):
    rules(client, keep_corrections="on")
    learn(host, sack)
    page = client.get("/house").text
    assert "1 photo of dice is kept." in page
    assert "asks more often" in page
    with zipfile.ZipFile(io.BytesIO(client.get("/house/learned.zip").data)) as archive:
        assert [label["dice"][0]["value"] for label in json.loads(archive.read("labels.json"))] == [6]
    client.post("/house/learned/delete")
    assert "What the camera learned" not in client.get("/house").text
    assert host.learner.strictness == 1


def test_all_pictures_are_these_too(client, host, sack):
    rules(client, keep_corrections="on")
    learn(host, sack)
    client.post("/house/pictures/delete")
    assert host.learner.pictures_kept == 0


def test_what_cannot_be_deleted_is_said_in_a_sentence(client, host):
    host.learner.lessons.path.mkdir()
    for address in ("/house/learned/delete", "/house/pictures/delete"):
        refused = client.post(address)
        assert (refused.status_code, "can&#39;t be deleted (Is a directory)" in refused.text) == (503, True)


def test_a_damaged_file_is_said_and_can_be_deleted(client, host):
    host.learner.lessons.path.write_bytes(b"no database at all" * 999)
    assert "It can&#39;t be read any more" in client.get("/house").text
    client.post("/house/learned/delete")
    assert not host.learner.lessons.path.exists()
