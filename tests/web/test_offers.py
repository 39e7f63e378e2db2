"""What a sheet offers each kind of device, in every game, before each kind of event that can happen in it: all of it
may be entered, and whoever is awaited finds a way to act on their own device. So it is with the camera's questions.
"""

import html
import json
import re
from collections import deque
from itertools import count
from random import Random

import pytest

from companion.game.events import Ask, seats
from companion.game.parts.sight import Sight
from companion.game.readings import CardReading, Settled
from companion.game.seeing import Proposed
from companion.game.widgets import Tap, after_taps
from companion.journal import codec
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.sensing.proposals import proposal_of
from companion.shelf import GAMES
from tests.played import FILES, named, read
from web.access.referee import HEADER
from web.app import create_app

MOST_PAGES = 40  # to which choices lead from one sheet
IN_PICTURES = "(cell|face|stack|picture|grid)-tap"  # boards, cards and dice stay while the camera asks
POSTED = 3  # taps of each device, at each step that is looked at
SEED = 59
NUMBERS = count()
PLAYED = {name: sorted((p for p in map(read, FILES) if p.game == name), key=lambda p: len(p.steps)) for name in GAMES}


@pytest.fixture
def device(host):
    """A device with a ticket of a role, maybe for one seat of a game; None: the machine itself."""
    app = create_app(host)

    def with_ticket(role, table=None, player=None):
        found = app.test_client()
        if role is None:
            return found
        of_game = {"session": table.session.id, "player": player} if table else {}
        ticket = host.access.tickets.issue(role, **of_game)
        found.environ_base |= {"REMOTE_ADDR": "192.168.1.20", "HTTP_AUTHORIZATION": f"Bearer {ticket}"}
        return found

    return with_ticket


def attributes(page, name):
    return [json.loads(html.unescape(text)) for text in re.findall(rf'{name}="([^"]*)"', page)]


def sheet(client, table, player=None, draft=None):
    query = {"player": player or "", **{f"d.{name}": value for name, value in (draft or {}).items()}}
    answer = client.get(f"/s/{table.session.id}/sheet", query_string=query)
    assert answer.status_code == 200
    return answer.text


def choices(page):
    """The taps on a page that change its draft."""
    buttons = re.findall(r"<button [^>]*data-draft=[^>]*>", page)
    changes = [[dict(*attributes(each, name)) for name in ("data-draft", "data-adds")] for each in buttons]
    return [Tap("", draft=sets, adds=adds) for sets, adds in changes]


def reached(client, table, player):
    """The pages to which choices lead from a sheet, itself included."""
    drafts, seen, pages = deque([{}]), set(), []
    while drafts and len(pages) < MOST_PAGES:
        draft = drafts.popleft()
        if (key := tuple(sorted(draft.items()))) in seen:
            continue
        seen.add(key)
        page = sheet(client, table, player, draft)
        pages.append(page)
        taps = [tap for tap in choices(page) if not tap.adds]
        fresh = {tuple(tap.draft): tap for tap in reversed(taps)}  # one of several numbers is enough
        drafts.extendleft(after_taps(draft, tap) for tap in taps if {*tap.draft} & {*draft})
        further = [after_taps(draft, tap) for name, tap in fresh.items() if not {*name} & {*draft}]
        drafts.extendleft(reversed(further))  # what stands lowest on the page first
    return pages


def events_on(pages, game):
    """The events that pages post, each once."""
    posted = [
        event for page in pages for name in ("data-event", "data-number-event") for event in attributes(page, name)
    ]
    return {repr(event): codec.event_from_json(game, event) for event in posted}.values()


def post(client, table, events, drawn):
    """Posts some of the events that a device is offered, as its page does, and takes back what was entered."""
    for event in drawn.sample(list(events), min(POSTED, len(events))):
        before = table.state
        body = {"event": codec.event_to_json(event), "event_id": f"{drawn.random():.16f}"[2:], "seen_seq": table.seq}
        answer = client.post(f"/api/sessions/{table.session.id}/events", json=body)
        may_be_late = hasattr(event, "at_us")  # The races here began at an instant of the playthrough.
        assert answer.status_code == 200 or (may_be_late and answer.status_code == 422), (event, answer.text)
        if answer.status_code == 200:
            table.undo(Origin(f"{drawn.random():.16f}"[2:], seen_seq=table.seq))
        assert table.state == before


def ask(host, table, event, others):
    """The camera asks whether that event has happened, or one of the others."""
    look = Settled(CardReading(640, 480, 7, "Card 7", 0.9, True), 1, 2, b"", ())
    proposed = Proposed(event, confirm=True, instead=tuple(("another", other) for other in others), agree="Yes")
    asked = proposal_of(table.session.id, proposed, look, (), None, 0, table.seq, None)
    host.questions.change(lambda questions: questions.without(table.session.id).asking(asked))
    return asked


def check_question(host, table, device, event, name):
    """Whatever a question offers a device it may answer, and nothing beside it answers the same."""
    session, rules = table.session, table.game.rules
    legal = [
        each for player in session.players for each in rules.legal(table.state, player) if not isinstance(each, Ask)
    ]
    others = [each for each in legal if seats(each) != seats(event)][:1]
    concerned = sorted(session.players, key=lambda player: player not in seats(event))
    asked_of = {concerned[0], concerned[-1]}  # whom the event belongs to, and somebody else
    own = [(Role.PLAYER, device(Role.PLAYER, table, player), player) for player in asked_of]
    for role, client, player in (
        (Role.WATCHER, device(Role.WATCHER), None),
        (Role.HOST, device(Role.HOST), None),
        *own,
    ):
        ask(host, table, event, others)
        strip, _, beside = (
            sheet(client, table, player).partition('<section class="question"')[2].partition("</section>")
        )
        answers = [None] * ("data-agree" in strip) + [
            int(index) for index in re.findall(r'data-instead="(\d+)"', strip)
        ]
        if player is None:
            assert bool(answers) == (role is Role.HOST), name
        words = [
            tag for tag in re.findall(r'<button [^>]*class="tap t-[^>]*>', beside) if not re.search(IN_PICTURES, tag)
        ]
        open_taps = attributes(" ".join(tag for tag in words if "held-back" not in tag), "data-event")
        if strip and "data-from" not in beside:
            same = {(type(each), seats(each)) for each in (event, *others)}
            taps = [codec.event_from_json(table.game, each) for each in open_taps]
            assert not [tap for tap in taps if (type(tap), seats(tap)) in same], name
        for answer in answers:
            before, asked = table.state, ask(host, table, event, others)
            body = {"event_id": f"q{next(NUMBERS)}", "corrections": {}, "instead": answer}
            given = client.post(f"/api/sessions/{session.id}/proposals/{asked.id}/confirm", json=body)
            may_be_late = hasattr(([event, *others])[0 if answer is None else answer + 1], "at_us")
            assert given.status_code == 200 or (may_be_late and given.status_code == 422), (name, player, given.text)
            if given.status_code == 200:
                table.undo(Origin(f"q{next(NUMBERS)}", seen_seq=table.seq))
            assert table.state == before
    host.questions.change(lambda questions: questions.without(session.id))


def check(table, device, name, drawn):
    """Whatever each kind of device is offered now it may enter, and each player who is awaited can act."""
    game, awaited = table.game, table.game.rules.awaiting(table.state)
    watching = sheet(device(Role.WATCHER), table)
    assert not re.search("data-(event|draft|roll|number-event)", watching), name
    for player in table.session.players:
        own = reached(device(Role.PLAYER, table, player), table, player)
        events = events_on(own, game)
        assert all(not seats(event) or player in seats(event) for event in events), (name, player)
        post(device(Role.PLAYER, table, player), table, events, drawn)
        if player in awaited:
            assert events, (name, player)
            assert "<h2>Waiting for" not in own[0]
        elif awaited and "t-primary" not in own[0]:
            assert "<h2>Waiting for" in own[0], (name, player)
        for other in (None, *table.session.players):
            if other != player:
                looked = sheet(device(Role.PLAYER, table, player), table, other)
                assert "data-draft" not in looked
                assert all(
                    not seats(e) or {player, other} >= {player} & seats(e) != set() for e in events_on([looked], game)
                )
    for role in (Role.PLAYER, Role.HOST):
        shared = events_on(reached(device(role), table, None), game)
        assert shared or not awaited, (name, role)
        post(device(role), table, shared, drawn)
    host_as_player = events_on(reached(device(Role.HOST), table, table.session.players[0]), game)
    post(device(Role.HOST), table, host_as_player, drawn)


@pytest.mark.parametrize("name", GAMES)
def test_a_device_is_offered_what_it_may_enter_and_nothing_else(host, device, name):
    drawn, met = Random(SEED), set()
    host.clock.offset_us += 10**11
    for played in PLAYED[name]:
        table = host.create(name, list(played.players), played.options)
        ids = dict(zip(played.players, table.session.players, strict=True))
        for number, step in enumerate(played.steps):
            if step.event["kind"] not in met:
                met.add(step.event["kind"])
                where = f"{name}, before line {step.line}, seed {SEED}"
                check(table, device, where, drawn)
                event = codec.event_from_json(table.game, named(step.event, ids))
                if table.game.sight.propose is not Sight.propose:  # Of a game without a camera nothing asks.
                    check_question(host, table, device, event, where)
            table.submit(codec.event_from_json(table.game, named(step.event, ids)), Origin(f"e{number}"))


def test_a_locked_game_offers_undo_to_its_referee_alone(host, device):
    table = host.create("stack_dice", ["Ann", "Bob"], {}, preset="tournament")
    ann, _bob = table.session.players
    phone = device(Role.PLAYER, table, ann)
    assert "data-event" in sheet(phone, table, ann)
    assert 'id="undo"' not in sheet(phone, table, ann)
    phone.environ_base["HTTP_" + HEADER.upper().replace("-", "_")] = host.referees.new_key(table.session.id)
    assert 'id="undo"' in sheet(phone, table, ann)
