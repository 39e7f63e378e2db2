"""Who may enter what and correct what: a ticket for one seat through every door, and the referee's."""

import pytest

from companion.game.events import NOW_US
from companion.game.readings import DiceReading, DieReading, Kind, Settled
from companion.games.maxstax.events import Readied, Shouted, Started
from companion.games.maxstax.timer import COUNTDOWN_US
from companion.games.rulings import Ruling
from companion.games.score_pad.rules import Closed, Wrote
from companion.games.stack_dice.events import StartRolled
from companion.house.host import Host
from companion.journal.codec import event_to_json
from companion.journal.devices import Role
from companion.journal.events import Origin
from tests.parts import altered
from web.access.referee import HEADER
from web.app import create_app


@pytest.fixture
def stack(host):
    """Stack with Ann and Bob, before the first roll."""
    return host.create("stack_dice", ["Ann", "Bob"], {})


@pytest.fixture
def phone(host):
    """A phone of the seat of a player, of a game."""
    app = create_app(host)

    def phone_of(table, player):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        ticket = host.access.tickets.issue(Role.PLAYER, session=table.session.id, player=player)
        found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
        return found

    return phone_of


def sent(device, table, what, **body):
    return device.post(f"/api/sessions/{table.session.id}/{what}", json={"seen_seq": table.seq, **body})


def entered(device, table, event, event_id="tap"):
    return sent(device, table, "events", event=event_to_json(event), event_id=event_id).status_code


def ruled(device, table, player):
    form = {"player": player, "points": "-3", "why": "because"}
    return device.post(f"/s/{table.session.id}/referee", data=form).status_code


def test_a_seats_phone_rules_about_no_other_seat_through_any_door(phone, stack):
    ann, bob = stack.session.players
    device = phone(stack, ann)
    assert ruled(device, stack, bob) == 403
    assert entered(device, stack, Ruling(bob, -3, "because")) == 403
    assert stack.seq == 0
    page = device.get(f"/s/{stack.session.id}/referee").text
    assert (f'value="{ann}"' in page, f'value="{bob}"' in page) == (True, False)
    assert ruled(device, stack, ann) == 303
    assert entered(device, stack, Ruling(ann, 3, "because")) == 200


def test_a_seats_phone_enters_no_roll_of_others_alone(phone, stack):
    ann, bob = stack.session.players
    device = phone(stack, ann)
    assert entered(device, stack, StartRolled(((bob, 3),))) == 403
    assert entered(device, stack, StartRolled(((ann, 5), (bob, 3)))) == 200


def test_a_seats_phone_corrects_what_others_entered_but_puts_theirs_in_no_other_place(host, phone, stack):
    ann, bob = stack.session.players
    device = phone(stack, ann)
    for number, player in enumerate((ann, bob)):
        ruling = Ruling(player, 1, "tea")
        stack.submit(ruling, Origin(f"tea-{number}"))

    def amended(seq, event, event_id):
        return sent(device, stack, "amend", seq=seq, event=event_to_json(event), event_id=event_id).status_code

    assert amended(1, Ruling(bob, -9, "so"), "not-his") == 403
    assert amended(2, Ruling(bob, 2, "tea, twice"), "his") == 200
    assert amended(2, Ruling(ann, 2, "tea, twice"), "mine") == 200
    assert sent(device, stack, "strike", seq=2, event_id="strike").status_code == 200


def asked_of(host, table):
    """The camera asks whether Bob's first die shows a five or a six."""
    host.asking.set_accepts(Kind.DICE, False)
    ann, _bob = table.session.players
    table.submit(StartRolled(((ann, 2),)), Origin("ann", 0))
    dice = (DieReading(5, 50, 50, 40, 40, 0, "white", 0.99, True, ((5, 1.0),)),)
    host.on_reading(Settled(DiceReading(640, 480, dice), host.clock.now_us(), host.clock.now_us(), b"", (b"die",)))
    (question,) = host.questions.of(table.session.id)
    return question


@pytest.mark.parametrize("answer", ["confirm", "dismiss", "correct"])
def test_a_seats_phone_answers_no_question_about_others(host, phone, stack, answer):
    question = asked_of(host, stack)
    bodies = {"confirm": {}, "correct": {"corrections": {question.sure[0][0]: 6}}}
    ann, bob = stack.session.players

    def answered(player):
        address = f"/api/sessions/{stack.session.id}/proposals/{question.id}/{answer}"
        body = {"event_id": "answer", **bodies[answer]} if answer in bodies else {}
        return phone(stack, player).post(address, json=body).status_code

    assert answered(ann) == 403
    assert host.questions.of(stack.session.id) == (question,)
    assert answered(bob) == 200
    assert host.questions.of(stack.session.id) == ()


def test_the_referee_decides_about_every_seat_whichever_ticket_it_came_in_by(host, phone):
    locked = host.create("stack_dice", ["Ann", "Bob"], {}, preset="tournament")
    ann, bob = locked.session.players
    device = phone(locked, ann)
    assert ruled(device, locked, ann) == 403
    device.environ_base["HTTP_" + HEADER.upper().replace("-", "_")] = host.referees.new_key(locked.session.id)
    assert ruled(device, locked, bob) == 303
    assert entered(device, locked, Ruling(bob, 1, "because")) == 200
    event = event_to_json(Ruling(bob, 2, "because"))
    assert sent(device, locked, "amend", seq=1, event=event, event_id="amend").status_code == 200


# when something happened


@pytest.fixture
def race(host):
    """SPEEDSTAX with Ann and Bob, ten seconds after the go."""
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for number, event in enumerate((*map(Readied, table.session.players), Started(NOW_US))):
        table.submit(event, Origin(f"begin-{number}"))
    host.clock.offset_us += COUNTDOWN_US + 10_000_000
    return table


def test_a_player_who_shouts_later_does_not_say_that_it_was_earlier(host, phone, race):
    ann, bob = race.session.players
    assert entered(phone(race, bob), race, Shouted(bob, NOW_US), "bob") == 200
    earlier = Shouted(ann, race.now_us() - 4_000_000)
    tablet = create_app(host).test_client()
    tablet.environ_base |= {
        "REMOTE_ADDR": "192.168.1.21",
        "HTTP_AUTHORIZATION": f"Bearer {host.access.tickets.issue(Role.PLAYER)}",
    }
    for device in (phone(race, ann), tablet):
        answer = sent(device, race, "events", event=event_to_json(earlier), event_id="ann")
        assert (answer.status_code, "Leave the time to the table" in answer.json["error"]) == (403, True)
    assert entered(phone(race, ann), race, Shouted(ann, NOW_US), "ann") == 200
    assert race.state.current.shouts[ann] > race.state.current.shouts[bob]


def test_a_player_who_corrects_a_shout_moves_it_to_no_other_time(host, phone, race):
    ann, bob = race.session.players
    entered(phone(race, bob), race, Shouted(bob, NOW_US), "bob")
    host.clock.offset_us += 1_000_000
    entered(phone(race, ann), race, Shouted(ann, NOW_US), "ann")
    said_us = race.event(5).at_us

    def amended(device, at_us, number):
        event = event_to_json(Shouted(ann, at_us))
        return sent(device, race, "amend", seq=5, event=event, event_id=f"amend-{number}").status_code

    assert amended(phone(race, ann), said_us - 4_000_000, 1) == 403
    assert [amended(phone(race, ann), at_us, at_us % 97 + 2) for at_us in (NOW_US, said_us)] == [200, 200]
    assert race.event(5).at_us == said_us
    assert amended(create_app(host).test_client(), said_us - 4_000_000, 99) == 200  # the machine itself: the host


@pytest.mark.parametrize("with_its_time", [True, False])
def test_a_player_takes_nobody_elses_shout(host, phone, race, with_its_time):
    ann, bob = race.session.players
    entered(phone(race, bob), race, Shouted(bob, NOW_US), "bob")
    said_us = race.event(4).at_us
    taken = event_to_json(Shouted(ann, said_us if with_its_time else NOW_US))
    answer = sent(phone(race, ann), race, "amend", seq=4, event=taken, event_id="taken")
    assert (answer.status_code, "another seat" in answer.json["error"]) == (403, True)
    assert race.event(4) == Shouted(bob, said_us)
    tablet = create_app(host).test_client()  # the table's own screen may: both pressed the same button, say
    assert sent(tablet, race, "amend", seq=4, event=taken, event_id="moved").status_code == 200


# who gives camera and box to another game


@pytest.mark.parametrize("door", ["api/sessions/{}/hold", "s/{}/continue"])
def test_a_seat_of_an_old_game_takes_camera_and_box_from_no_game_that_is_played(host, phone, stack, door):
    now = host.create("stack_dice", ["Cy", "Dee"], {})
    old = phone(stack, stack.session.players[0])
    refused = old.post("/" + door.format(stack.session.id))
    assert (refused.status_code, host.active.session) == (403, now.session.id)
    assert "Its players" in refused.text
    assert "Use it here" not in old.get(f"/s/{stack.session.id}/sheet").text
    tablet = create_app(host).test_client()
    tablet.environ_base |= {"REMOTE_ADDR": "192.168.1.21"}
    tablet.environ_base |= {"HTTP_AUTHORIZATION": f"Bearer {host.access.tickets.issue(Role.PLAYER)}"}
    assert tablet.post("/" + door.format(stack.session.id)).status_code in (200, 303)
    assert host.active.session == stack.session.id
    assert old.post("/" + door.format(stack.session.id)).status_code in (200, 303)  # its own has them already


def test_a_seat_goes_on_with_its_game_where_no_other_is_played(host, phone, stack):
    old, address = phone(stack, stack.session.players[0]), f"/api/sessions/{stack.session.id}/hold"
    host.active.release()
    assert old.post(address).status_code == 200
    other = host.create("stack_dice", ["Cy", "Dee"], {})
    with host.journal.changing() as db:
        db.execute("UPDATE entries SET content = '{}'")
        db.execute(
            "UPDATE sessions SET header = replace(header, 'stack_dice', 'from_tomorrow') WHERE id = ?",
            (other.session.id,),
        )
    again = Host(host.journal)
    again.active.session = other.session.id
    device = create_app(again).test_client()
    device.environ_base |= old.environ_base
    assert device.post(address).status_code == 200  # nobody plays what cannot be read
    again.live.close()


def test_a_seat_goes_on_with_its_game_when_the_other_is_over(host, phone, stack, monkeypatch):
    other = host.create("sack_stackers", ["Cy"], {})
    monkeypatch.setattr(other, "game", altered(other.game, is_over=lambda _state: True))
    address = f"/api/sessions/{stack.session.id}/hold"
    assert phone(stack, stack.session.players[0]).post(address).status_code == 200
    assert host.active.session == stack.session.id


def pad_of(host, writers):
    table = host.create("score_pad", ["Ann", "Bob"], {"writers": writers})
    return (table, *table.session.players)


def test_on_a_pad_each_phone_writes_its_own_column(host, phone):  # PAD-50
    table, ann, bob = pad_of(host, "own")
    device = phone(table, ann)
    assert entered(device, table, Wrote(ann, 1, 3), "own") == 200
    assert entered(device, table, Wrote(bob, 1, 3), "other") == 403


def test_on_a_pad_for_everybody_each_phone_writes_every_column(host, phone):  # PAD-50
    table, ann, bob = pad_of(host, "everybody")
    device = phone(table, ann)
    sheet = device.get(f"/s/{table.session.id}/sheet", query_string={"player": ann, "d.who": bob, "d.keys": "7"})
    assert f'"player":"{bob}"'.replace('"', "&#34;") in sheet.text
    assert entered(device, table, Wrote(bob, 1, 7)) == 200
    assert sent(device, table, "amend", seq=1, event=event_to_json(Wrote(bob, 1, 8)), event_id="b").status_code == 200


def test_a_pad_of_the_host_is_written_and_corrected_by_the_host_alone(host, phone):  # PAD-50
    table, ann, _bob = pad_of(host, "host")
    table.submit(Wrote(ann, 1, 3), Origin("hosts"))
    device = phone(table, ann)
    assert entered(device, table, Wrote(ann, 2, 3)) == 403
    assert entered(device, table, Ruling(ann, 3, "because")) == 403
    assert entered(device, table, Closed()) == 403
    for what, body in (
        ("undo", {}),
        ("strike", {"seq": 1}),
        ("amend", {"seq": 1, "event": event_to_json(Wrote(ann, 1, 9))}),
    ):
        assert sent(device, table, what, event_id=what, **body).status_code == 403, what
    assert "data-event" not in device.get(f"/s/{table.session.id}/sheet", query_string={"player": ann}).text
    assert table.state.cells[ann] == {1: 3}
    local = create_app(host).test_client()  # the host's own device
    assert entered(local, table, Wrote(ann, 2, 3), "local") == 200
