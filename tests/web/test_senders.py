"""Which device did what: said in the history, kept beside the chain, and gone with the person it names."""

import re
import sqlite3
from contextlib import closing

import pytest

from companion.games.sack_stackers.events import Rolled
from companion.house.erasure import is_named
from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.schema import MIGRATIONS, VERSION
from companion.journal.session import digest
from companion.journal.store import Journal

GUEST = "192.168.1.20"
ROLL = {"kind": "Rolled", "dice": [3, 5]}


@pytest.fixture
def device(host, client):
    """A device in the network, with the ticket of a role."""

    def let_in(role=Role.PLAYER, **more):
        found = client.application.test_client()
        found.environ_base["REMOTE_ADDR"] = GUEST
        found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(role, **more)}"
        return found

    return let_in


def roll(sender, table):
    posted = {"event": ROLL, "event_id": f"roll-{table.seq}", "seen_seq": table.seq}
    assert sender.post(f"/api/sessions/{table.session.id}/events", json=posted).status_code == 200


def undo(sender, table):
    asked = {"event_id": f"undo-{table.seq}", "seen_seq": table.seq}
    assert sender.post(f"/api/sessions/{table.session.id}/undo", json=asked).status_code == 200


def told(reader, table, language="en"):
    """What each entry of the history says of where it came from, newest first."""
    page = reader.get(f"/s/{table.session.id}/history", headers={"Accept-Language": language}).text
    return re.findall(r'class="small">[\d:]+ · (.*?)</span>', page)


def test_a_device_is_called_by_its_seat_or_as_the_page_of_the_house_calls_it(client, device, sack):
    ann = sack.session.players[0]
    senders = {
        "host": client,
        "Ann": device(session=sack.session.id, player=ann, label="a phone"),
        "Kitchen &amp; Co": device(label="Kitchen & Co"),
        "player": device(),
        "PIN": device(Role.HOST, label="PIN"),
    }
    for name, sender in senders.items():
        roll(sender, sack)
        assert told(client, sack)[0] == f"tablet ({name})"
        undo(sender, sack)
    assert told(client, sack, "de")[1] == "Tablet (Spieler)"


def test_who_took_something_back_is_said_too(client, device, sack):
    roll(client, sack)
    undo(device(label="Kitchen"), sack)
    (line,) = sack.history.lines()
    assert (line.device, line.changed.device) == ("host", "Kitchen")
    assert "tablet (Kitchen)" in client.get(f"/s/{sack.session.id}/history").text
    assert client.get(f"/api/sessions/{sack.session.id}/history").json[0]["device"] == "host"
    assert ",tablet,host," in client.get(f"/s/{sack.session.id}/result.csv").text


def test_the_referees_device_stands_beside_the_ruling(client, device, sack):
    form = {"player": sack.session.players[0], "points": "-3", "why": "Turned a die over", "event_id": "ruling"}
    device(label="Desk").post(f"/s/{sack.session.id}/referee", data=form)
    assert "tablet (Desk)" in client.get(f"/s/{sack.session.id}/result").text


def test_a_camera_a_button_and_a_clock_are_no_devices_of_anybody(client, sack):
    for source in ("camera", "button"):
        sack.submit(Rolled((3, 5)), Origin(source, source=source))
        assert told(client, sack)[0] == source
        sack.undo(Origin(f"undo-{source}", source=source))
    sack.submit(Rolled((3, 5)), Origin("clock", source="clock"))
    assert told(client, sack)[0] == "clock"


def test_it_is_known_after_a_new_start(host, device, sack):
    roll(device(label="Kitchen"), sack)
    house = Host(Journal(host.journal.path))
    assert [line.device for line in house.table(sack.session.id).history.lines()] == ["Kitchen"]
    house.journal.close()


def test_chain_and_export_know_nothing_of_it(client, device, host, sack, tmp_path):
    roll(device(label="Kitchen"), sack)
    exported = host.transfer.export(sack.session.id)
    assert "Kitchen" not in exported
    house = Host(Journal(tmp_path / "elsewhere.sqlite3"))
    other = house.transfer.take(exported)
    assert other.fingerprint == sack.fingerprint
    assert [line.device for line in other.history.lines()] == [""]
    house.journal.close()


def test_it_goes_with_the_person_whom_it_names(client, device, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann", "Bob"])
    for sender in (device(session=table.session.id, player=table.session.players[0]), device(label="ANN's phone")):
        roll(sender, table)
        undo(sender, table)
    roll(device(label="Kitchen"), table)
    assert [line.device for line in table.history.lines()] == ["Kitchen", "ANN's phone", "Ann"]
    ann = next(one for one in host.people.everybody() if one.name == "Ann")
    host.erase_person(ann.id)
    assert [line.device for line in table.history.lines()] == ["Kitchen", "", ""]
    assert {sender.label for sender in host.journal.senders(table.session.id).values()} == {"Kitchen"}


def test_a_device_with_the_persons_name_stays_in_and_is_named_by_its_role(client, device, host):
    table = host.create("sack_stackers", ["Änn", "Bob"], {}, remember=["Änn"])
    phone, other = device(label="ÄNN's phone"), device(label="Kännchen")
    host.erase_person(host.people.everybody()[0].id)
    for sender, name in ((phone, "player"), (other, "Kännchen")):
        roll(sender, table)
        assert told(client, table)[0] == f"tablet ({name})"
        undo(sender, table)
    assert "ÄNN" not in client.get("/house").text


@pytest.mark.parametrize(
    ("name", "label", "named"),
    [
        ("Ann", "Ann", True),
        ("Ann", "ANN’s phone", True),
        ("Ann", "Anns Handy", True),
        ("Ann", "Annas Handy", False),
        ("Ann", "Joann", False),
        ("Al", "Table", False),
        ("Al", "Al (kitchen)", True),
        ("Änn", "änn", True),
        ("Änn", "A\u0308nn", True),  # the same letter in two signs
        ("Groß", "GROSS", True),
        ("J. R.", "phone of J. R.", True),
        (".", "phone", False),
        ("Andrea", "Andreas Handy", True),
        ("Andrea", "Andreas' phone", False),
        ("Andreas", "Andreas’ phone", True),
    ],
)
def test_a_label_names_a_person_by_a_whole_word(name, label, named):
    assert is_named(name, label) is named


@pytest.mark.parametrize(
    ("name", "label", "named"),
    [
        ("Andrea", "Andreas Handy", False),
        ("Andreas", "Andreas Handy", True),
        ("Andrea", "Andrea's phone", True),
        ("Andrea", "Andreas and Andrea", True),
        ("Ann", "ANN LEE's phone", False),
        ("Ann", "Anns Handy", True),
        ("Ann Lee", "Ann Lees Handy", True),
    ],
)
def test_a_label_with_the_longer_name_of_somebody_else_names_them(name, label, named):
    assert is_named(name, label, ("Andrea", "Andreas", "Ann", "Ann Lee")) is named


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("A", "code of a game"),
        ("Page", "code on the first page, 12"),
        ("One", "one-time link"),
        ("Over", "handed over"),
        ("Pin", "PIN"),
        ("Host", "host"),
        ("Code", "printed code"),
        ("Script", "script"),
    ],
)
def test_what_the_house_calls_a_device_names_nobody(name, label):
    assert not is_named(name, label)
    assert is_named(name, f"{label}, {name}")


def test_who_is_erased_takes_no_code_and_no_device_of_somebody_else_along(client, device, host):
    table = host.create("sack_stackers", ["Page", "Andrea"], {}, remember=["Page", "Andrea"])
    host.create("sack_stackers", ["Andreas", "Bob"], {})
    host.access.codes.standing(Role.PLAYER)
    roll(device(label="Andreas Handy"), table)
    for profile in host.people.everybody():
        known = client.get(f"/people/{profile.id}.json").json
        assert (known["sent"], known["devices"]) == ([], [])
        host.erase_person(profile.id)
    assert {one.label for one in host.access.tickets.all()} == {"Andreas Handy", "code on the first page"}
    assert [line.device for line in table.history.lines()] == ["Andreas Handy"]


def test_what_a_persons_devices_sent_is_part_of_what_is_known_of_them(client, device, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann", "Bob"])
    _ann, bob = table.session.players
    for sender in (device(label="Ann's phone"), device(session=table.session.id, player=bob, label="Bob's")):
        roll(sender, table)
        undo(sender, table)
    profile = next(one for one in host.people.everybody() if one.name == "Ann")
    known = client.get(f"/people/{profile.id}.json").json
    assert known["sent"] == [{"session": table.session.id, "seq": seq, "device": "Ann's phone"} for seq in (1, 2)]
    assert [one["label"] for one in known["devices"]] == ["Ann's phone"]


def test_what_a_person_did_is_part_of_it_whatever_device_it_was_tapped_on(client, device, host):
    table = host.create("speedstax", ["Ann", "Bob"], {}, remember=["Ann", "Bob"])
    ann, bob = table.session.players
    for number, (label, player) in enumerate((("PIN", ann), ("Kitchen", bob))):
        posted = {"event": {"kind": "Readied", "player": player}, "event_id": f"ready-{number}", "seen_seq": number}
        answer = device(label=label).post(f"/api/sessions/{table.session.id}/events", json=posted)
        assert answer.status_code == 200, answer.text
    profile = next(one for one in host.people.everybody() if one.name == "Ann")
    (game,) = client.get(f"/people/{profile.id}.json").json["games"]
    assert [(one["device"], one["event"]["kind"]) for one in game["entries"]] == [("PIN", "Readied")]


def test_a_journal_from_before_opens_and_goes_on(tmp_path, host, sack):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    older = tmp_path / "older.sqlite3"
    with closing(sqlite3.connect(older)) as db, db:
        for number, migration in enumerate(MIGRATIONS[:3], start=1):
            db.executescript(migration + f"PRAGMA user_version={number};")
        header = host.journal.header(sack.session.id)
        db.execute("INSERT INTO sessions VALUES (?, ?, ?, 1)", (sack.session.id, header, digest(header)))
        for row in host.journal.rows(sack.session.id):
            values = (sack.session.id, row.seq, row.id, row.content, row.hash)
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", values)
    db.close()
    house = Host(Journal(older))
    table = house.table(sack.session.id)
    assert [line.device for line in table.history.lines()] == [""]
    table.undo(Origin("undo", 1))
    assert house.journal.select("PRAGMA user_version") == [(VERSION,)]
    house.journal.close()
