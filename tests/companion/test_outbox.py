"""The table's outbox: what goes in, when it is sent, and what is in no copy."""

import contextlib
import json
import sqlite3
import time
from contextlib import closing
from itertools import pairwise

import msgspec
import pytest

from companion.app.service.uploader import GREETED_S, LONGEST_WAIT_S, ROUND_S, Uploader, sentence_of
from companion.errors import BadInput
from companion.journal import codec
from companion.journal.backup import backup
from companion.journal.events import Origin
from companion.letters import outbox as outbox_module
from companion.letters.counting import LEAP, count_of
from companion.letters.errand import Question, answer, doing_of
from companion.letters.greeting import greet
from companion.letters.keys import Key
from companion.letters.offer import Errand
from companion.letters.outbox import EVENING_US, Outbox, check_hub
from companion.shelf import GAMES
from companion.words import retold, speak
from tests.hall.letters import KEY, OTHER_KEY, QUICK
from tests.hall.test_errand import HAS
from tests.played import named, read

HUB = "http://hub.example:8100"
AWAY = (0, "The hub doesn't answer.")


class Answering(Uploader):
    """An uploader whose hub is a list of answers; the last one is given again and again."""

    def __init__(self, host, outbox, *answers):
        self.seconds, self.asked, self.answers = 0.0, [], list(answers)
        super().__init__(host, outbox, lambda: self.seconds)

    def _greet(self):
        return ""  # `Meeting` below is for that

    def _ask_errand(self):
        return ""  # likewise

    def _ask(self, method, path, body):
        self.asked.append((method, path))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def outbox(host):
    outbox = Outbox(host.journal)
    outbox.remember(HUB, "CODE1")
    return outbox


def play(host, until=None):
    """A game as it was worked out by hand; `until` leaves out the steps after it."""
    file = read(QUICK)
    seats = {player: player for player in file.players}
    options = codec.options_to_json(codec.options_from_json(GAMES[file.game], named(file.options, seats)))
    table = host.create(file.game, [f"Name {number}" for number, _seat in enumerate(seats)], options)
    seats = dict(zip(seats, table.session.players, strict=True))
    for number, step in enumerate(file.steps[:until]):
        event = codec.event_from_json(table.game, named(step.event, seats))
        table.submit(event, Origin(f"e{number}"))
    return table


def rows(outbox_of):
    return outbox_of.journal.select("SELECT n, session, head, state FROM outbox ORDER BY n")


def test_a_game_goes_in_once_it_is_over(host, outbox):
    uploader = Answering(host, outbox, AWAY)
    play(host, -1)
    uploader.go_round()
    assert rows(host) == []
    over = play(host)
    uploader.go_round()
    uploader.go_round()
    assert rows(host) == [(1, over.session.id, over.fingerprint, "waiting")]


def test_a_game_that_was_sent_goes_in_again_once_it_is_corrected(host, outbox):
    uploader = Answering(host, outbox, (201, ""))
    table = play(host)
    uploader.go_round()
    table.undo(Origin("undo"))
    uploader.go_round()
    assert [(n, state) for n, _session, _head, state in rows(host)] == [(1, "uploaded"), (2, "uploaded")]
    assert (outbox.summary().uploaded, outbox.summary().all) == (1, 1)


def test_what_was_over_before_the_table_was_told_of_its_hub_stays_at_home(host):
    play(host)
    outbox = Outbox(host.journal)
    outbox.remember(HUB, "CODE1")
    Answering(host, outbox, (201, "")).go_round()
    assert rows(host) == []


def test_a_game_is_sent_though_the_clock_is_set_back_to_before_the_enrolment(host, monkeypatch):
    play(host)
    outbox = Outbox(host.journal)
    outbox.remember(HUB, "CODE1")
    two_hours_ago_us = outbox_module.wall_us() - 2 * 60 * 60 * 1_000_000
    monkeypatch.setattr(time, "time_ns", lambda: two_hours_ago_us * 1_000)
    late = play(host)
    Answering(host, outbox, (201, "")).go_round()
    assert [(session, state) for _n, session, _head, state in rows(host)] == [(late.session.id, "uploaded")]


def test_a_hub_that_is_away_is_asked_ever_more_rarely(host, outbox):
    outbox.set_enrolled()
    play(host)
    uploader = Answering(host, outbox, AWAY)
    asked_at = []
    for _round in range(800):
        before = len(uploader.asked)
        uploader.seconds += uploader.go_round()
        if len(uploader.asked) > before:
            asked_at.append(uploader.seconds - ROUND_S)
    waits = [later - earlier for earlier, later in pairwise(asked_at)]
    assert waits[:4] == [10, 20, 40, 60]
    assert max(waits) == waits[-1] == LONGEST_WAIT_S
    assert host.status.lines["hub"].state == "down"
    uploader.answers = [(201, "")]
    uploader.seconds += LONGEST_WAIT_S
    uploader.go_round()
    assert (rows(host)[0][3], host.status.lines["hub"].state) == ("uploaded", "ok")


def test_a_round_that_fails_by_an_error_of_ours_waits_as_long(host, outbox, monkeypatch):
    outbox.set_enrolled()
    uploader = Answering(host, outbox, AWAY)
    asked_at = []

    def fails():
        asked_at.append(uploader.seconds)
        raise RecursionError

    monkeypatch.setattr(uploader, "_greet", fails)
    for uploader.seconds in range(200):
        with contextlib.suppress(RecursionError):
            uploader.go_round()
    assert asked_at == [0, 10, 30, 70, 130, 190]


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_an_answer_that_may_be_another_one_later_keeps_the_letter(host, outbox, status):
    outbox.set_enrolled()
    play(host)
    Answering(host, outbox, (status, "Later.")).go_round()
    assert rows(host)[0][3] == "waiting"
    assert host.status.lines["hub"].text == "Later."


@pytest.mark.parametrize("status", [409, 413, 422])
def test_a_refused_letter_holds_up_no_other(host, outbox, status):
    outbox.set_enrolled()
    first, second = play(host), play(host)
    Answering(host, outbox, (status, "Not so."), (201, "")).go_round()
    assert {session: state for _n, session, _head, state in rows(host)} == {
        first.session.id: "refused",
        second.session.id: "uploaded",
    }
    assert outbox.summary().refused == ((first.session.id, "Not so."),)


def test_the_same_code_again_changes_nothing_and_a_new_one_begins_anew(host, outbox):
    outbox.set_enrolled()
    play(host)
    Answering(host, outbox, (201, "")).go_round()
    secret = outbox.secret
    outbox.remember(HUB, "CODE1")
    assert (outbox.secret, outbox.is_enrolled, outbox.summary().uploaded) == (secret, True, 1)
    outbox.remember(HUB, "CODE2")
    assert outbox.secret != secret
    assert (outbox.is_enrolled, rows(host)) == (False, [])


def test_a_table_that_is_enrolled_anew_keeps_what_waits_and_signs_it_with_its_new_key(host, outbox):
    outbox.set_enrolled()
    over = play(host)
    Answering(host, outbox, AWAY).go_round()
    old = json.loads(outbox.first_waiting().letter.partition(b"\n")[0])["key"]
    Outbox(host.journal).remember(HUB, "CODE2")  # as a start of the table does
    outbox = Outbox(host.journal)
    uploader = Answering(host, outbox, AWAY)
    uploader.go_round()
    assert rows(host) == [(1, over.session.id, over.fingerprint, "waiting")]
    envelope = json.loads(outbox.first_waiting().letter.partition(b"\n")[0])
    assert (envelope["n"], envelope["previous"], envelope["key"]) == (1, "", Key(outbox.secret).id)
    assert envelope["key"] != old


def test_a_new_hub_gets_what_went_to_the_old_one_this_evening_and_nothing_older(host, outbox, monkeypatch):
    """Such a hub may have lost everything; whatever was played before the first enrolment stays at home."""
    outbox.set_enrolled()
    evening = play(host)
    Answering(host, outbox, (201, "")).go_round()
    later_us = outbox_module.wall_us() + EVENING_US + 60_000_000
    monkeypatch.setattr(outbox_module, "wall_us", lambda: later_us - 120_000_000)
    outbox.remember(HUB, "CODE2")
    Answering(host, outbox, AWAY).go_round()
    assert [(session, state) for _n, session, _head, state in rows(host)] == [(evening.session.id, "waiting")]
    outbox.set_enrolled()
    Answering(host, outbox, (201, "")).go_round()
    monkeypatch.setattr(outbox_module, "wall_us", lambda: later_us)
    outbox.remember(HUB, "CODE3")
    Answering(host, outbox, AWAY).go_round()
    assert rows(host) == []


def test_a_hub_that_lost_a_letter_gets_it_again(host, outbox):
    """As one that was put back from its copy of a minute ago: it says which it has not."""
    outbox.set_enrolled()
    uploader = Meeting(host, outbox)
    uploader.has = Errand(hears=True)
    play(host)
    uploader.go_round()
    assert (uploader.doings, uploader.asked.count("PUT")) == ([None], 1)
    uploader.has = Errand(hears=True, again=(1, 7))
    uploader.go_round()
    assert (uploader.doings[-1].sent, rows(host)[0][3]) == (1, "waiting")
    uploader.go_round()
    assert (uploader.asked.count("PUT"), rows(host)[0][3]) == (2, "uploaded")
    uploader.go_round()  # What a hub takes no second time is not sent for ever.
    assert uploader.asked.count("PUT") == 2
    uploader.has = Errand(hears=True)
    uploader.go_round()
    uploader.has = Errand(hears=True, again=(1,))  # its disk died once more
    for _round in range(2):
        uploader.go_round()
    assert uploader.asked.count("PUT") == 3


def test_a_table_says_what_it_plays_to_a_hub_that_hears_it(host, outbox):
    outbox.set_enrolled()
    uploader = Meeting(host, outbox)
    uploader.has = Errand()
    uploader.go_round()
    assert uploader.doings == [None]  # It is an older hub.
    uploader.has = Errand(hears=True)
    table = play(host, -1)
    for _round in range(2):
        uploader.go_round()
    assert (uploader.doings[-1].session, uploader.doings[-1].over) == (table.session.id, False)
    assert abs(uploader.doings[-1].wall_us - outbox_module.wall_us()) < 60_000_000


def test_none_forgets_the_hub(host, outbox):
    outbox.remember("none", "")
    assert (outbox.hub, outbox.secret, outbox.code) == ("", b"", "")


def test_no_copy_has_the_key_or_the_outbox(host, outbox, tmp_path):
    """Else two tables could sign with one key, or one table give a number twice."""
    outbox.set_enrolled()
    play(host)
    Answering(host, outbox, AWAY).go_round()
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    assert outbox.secret.hex().encode() not in copy.read_bytes()
    assert b"CODE1" not in copy.read_bytes()
    with closing(sqlite3.connect(copy)) as db, db:
        assert db.execute("SELECT count(*) FROM outbox").fetchone() == (0,)
    db.close()


def test_no_name_is_in_a_letter(host, outbox):
    play(host)
    Answering(host, outbox, AWAY).go_round()
    letter = outbox.first_waiting().letter
    assert b"Name" not in letter
    assert json.loads(letter.split(b"\n", 1)[0])["n"] == 1


@pytest.mark.parametrize(
    "url", ["", "hub", "ftp://hub", "http://", "http://hub/path", "http://hub?a", "http://me@hub", "http://hub:99999"]
)
def test_what_is_no_address_of_a_hub_is_refused(url):
    with pytest.raises(BadInput, match="looks like http://"):
        check_hub(url)


def test_an_address_is_kept_without_the_slash_at_its_end():
    assert check_hub("http://192.168.1.5:8100/") == "http://192.168.1.5:8100"


def test_a_sentence_of_the_hub_is_told_in_the_language_of_the_page():
    said = sentence_of(b'{"error": "This is too big. Send less at once."}')
    speak("de")
    assert retold(said) == "Das ist zu groß. Schick weniger auf einmal."
    speak("en")


@pytest.mark.parametrize("answer", [b"", b"{", b"[]", b"{}", b'{"error": 1}', b"\xff", b"<html>"])
def test_an_answer_without_a_sentence_gets_one_of_ours(answer):
    assert sentence_of(answer).startswith("The hub gave an answer")


class Meeting(Uploader):
    """An uploader that meets a hub with a key, which takes everything."""

    broker = ""

    def __init__(self, host, outbox, key=KEY, port=1883):
        self.key, self.port, self.asked, self.brokers = key, port, [], []
        self.seconds, self.errands, self.has, self.doings = 0.0, 0, None, []
        super().__init__(host, outbox, lambda: self.seconds, lambda *broker: self.brokers.append(broker))

    def _fetch(self, method, path, body=b""):
        if path == "/v1/errands":
            self.errands += 1
            if self.has is None:  # it is an older one, which has no tournaments
                return 404, b"{}"
            asked = msgspec.json.decode(body, type=Question)
            self.doings.append(doing_of(asked))
            return 200, msgspec.json.encode(answer(self.key, asked, self.has))
        self.asked.append(method)
        if method != "GET":
            return 201, b"{}"
        greeting = greet(self.key, path.partition("=")[2], self.broker, self.port)
        return 200, json.dumps([msgspec.to_builtins(greeting)]).encode()


def test_a_table_asks_who_its_hub_is_before_anything_goes_there(host, outbox):
    uploader = Meeting(host, outbox)
    uploader.go_round()
    assert (uploader.asked, outbox.pin) == (["GET", "POST"], KEY.id)
    play(host)
    uploader.go_round()
    assert uploader.asked == ["GET", "POST", "GET", "PUT"]
    uploader.go_round()
    assert uploader.asked == ["GET", "POST", "GET", "PUT"]
    uploader.seconds += GREETED_S + 1  # it may have been started anew, with its broker at another port
    uploader.port = 1884
    uploader.go_round()
    assert uploader.brokers[-1] == ("hub.example", 1884, True)


def test_a_tables_questions_are_counted_through_restarts_and_refusals(host, outbox):
    counts = [count_of(outbox.next_challenge()) for _number in range(3 * LEAP)]
    assert counts == sorted(set(counts))
    again = Outbox(host.journal)
    assert (first := count_of(again.next_challenge())) > counts[-1]
    assert count_of(again.next_challenge(LEAP)) > first + LEAP
    assert count_of(Outbox(host.journal).next_challenge()) > first + LEAP
    outbox.remember(HUB, "CODE2")  # By a new key nothing was asked yet.
    assert count_of(outbox.next_challenge()) == 1
    assert LEAP < count_of(Outbox(host.journal).next_challenge()) < 2 * LEAP


class Refusing(Meeting):
    """An uploader whose hub holds so many questions for asked."""

    refusal = b'{"asked_before": true}'

    def __init__(self, host, outbox, mark):
        self.counts, self.mark = [], mark
        super().__init__(host, outbox)

    def _fetch(self, method, path, body=b""):
        if path == "/v1/errands":
            self.counts.append(count_of(msgspec.json.decode(body, type=Question).challenge))
            if self.counts[-1] <= self.mark:
                return 403, self.refusal
        return super()._fetch(method, path, body)


A_MONTH = 30 * 17_280


@pytest.mark.parametrize("mark", [1, LEAP, A_MONTH, 2 * A_MONTH])
def test_a_question_that_the_hub_holds_for_asked_is_asked_anew_at_once(host, outbox, mark):
    """As the hub does after a restart, and with a table whose card was set back to an image of a month ago."""
    uploader = Refusing(host, outbox, mark)
    uploader.has = HAS
    uploader.go_round()
    assert host.offered == HAS.offer
    assert len(uploader.counts) <= 13
    uploader.go_round()
    assert uploader.counts[-1] == uploader.counts[-2] + 1


def test_a_hub_that_refuses_every_question_is_asked_few_times_a_round(host, outbox):
    uploader = Refusing(host, outbox, 1 << 90)
    uploader.has = HAS
    uploader.go_round()
    assert len(uploader.counts) == 13
    assert uploader.counts == sorted(set(uploader.counts))


@pytest.mark.parametrize("refusal", [b"{}", b"<html>", b'{"error": "The hub doesn\'t know this table\'s key."}'])
def test_a_hub_that_refuses_for_another_reason_or_says_none_is_asked_twice_a_round(host, outbox, refusal):
    """An older hub says none, and may hold the first one for asked; to a key that was shut out all are alike."""
    uploader = Refusing(host, outbox, 1 << 90)
    uploader.has, uploader.refusal = HAS, refusal
    uploader.go_round()
    assert len(uploader.counts) == 2
    older = Refusing(host, outbox, uploader.counts[-1] + LEAP // 2)
    older.has, older.refusal = HAS, refusal
    older.go_round()
    assert host.offered == HAS.offer


@pytest.mark.parametrize(
    ("hub", "broker", "expected"),
    [
        (HUB, "", ("hub.example", 1883, True)),
        (HUB, "broker.example", ("broker.example", 1883, False)),
        (HUB, "127.0.0.1", ("127.0.0.1", 1883, False)),
        ("http://169.254.1.2:8100", "127.0.0.1", ("127.0.0.1", 1883, False)),
        ("http://[::ffff:127.0.0.1]:8100", "127.0.0.1", ("127.0.0.1", 1883, True)),
        ("http://localhost:8100", "127.0.0.1", ("127.0.0.1", 1883, True)),
    ],
)
def test_who_has_named_the_broker_is_told(host, outbox, hub, broker, expected):
    outbox.remember(hub, "")
    uploader = Meeting(host, outbox)
    uploader.broker = broker
    uploader.go_round()
    assert uploader.brokers == [expected]


def test_a_game_that_cannot_be_made_ready_keeps_no_other_back(host, outbox, monkeypatch, caplog):
    outbox.set_enrolled()
    uploader = Answering(host, outbox, (201, ""))
    broken, whole = play(host), play(host)
    rows_of = host.journal.rows

    def rows_or_not(session):
        if session == broken.session.id:
            raise ValueError("a damaged row")
        return rows_of(session)

    monkeypatch.setattr(host.journal, "rows", rows_or_not)
    uploader.go_round()
    uploader.go_round()
    assert [(session, state) for _n, session, _head, state in rows(host)] == [(whole.session.id, "uploaded")]
    assert "can't be sent to the hub" in host.status.lines["hub"].text
    assert caplog.text.count(f"game {broken.session.id} can't be made ready") == 1
    monkeypatch.setattr(host.journal, "rows", rows_of)
    uploader.go_round()
    assert host.status.lines["hub"].state == "ok"


def test_a_damaged_newest_letter_keeps_none_back_that_waits(host, outbox):
    outbox.set_enrolled()
    play(host)
    Answering(host, outbox, AWAY).go_round()
    play(host)
    with host.journal.changing() as db:
        db.execute("UPDATE outbox SET letter = ?", (b"half a le",))
    uploader = Answering(host, outbox, (201, ""))
    uploader.go_round()
    assert [state for _n, _session, _head, state in rows(host)] == ["uploaded"]
    assert "can't be sent to the hub" in host.status.lines["hub"].text


def test_another_hub_gets_nothing(host, outbox):
    uploader = Meeting(host, outbox)
    uploader.go_round()
    play(host)
    uploader.key, uploader.asked = OTHER_KEY, []
    uploader.go_round()
    assert (uploader.asked, uploader.errands) == (["GET"], 1)
    assert [state for _n, _session, _head, state in rows(host)] == ["waiting"]
    assert "Another hub answers" in host.status.lines["hub"].text
    assert outbox.pin == KEY.id


def test_a_new_code_is_for_a_new_hub(host, outbox):
    Meeting(host, outbox).go_round()
    outbox.remember(HUB, "CODE2")
    assert outbox.pin == ""
    Meeting(host, outbox, OTHER_KEY).go_round()
    assert outbox.pin == OTHER_KEY.id


def test_a_table_hears_what_its_hub_has_for_it_until_that_is_over(host, outbox):
    uploader = Meeting(host, outbox)
    uploader.go_round()
    assert (host.offered, uploader.errands) == (None, 1)
    uploader.has = HAS
    uploader.go_round()
    assert host.offered == HAS.offer
    assert "has a game for this table" in host.status.lines["hub"].text
    uploader.has = Errand()
    uploader.go_round()
    assert host.offered is None
    assert host.status.lines["hub"].state == "ok"
