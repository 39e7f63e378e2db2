"""The page "How to play": who may see it, whose options it has; the first steps on a new sheet, and hints."""

import re
from html import unescape

import pytest
from markupsafe import escape

from companion.games.maxstax.events import Readied, Shouted, Started
from companion.games.maxstax.timer import COUNTDOWN_US
from companion.games.samestax.rules import CreatorChosen
from companion.games.stack_dice.events import AllDropped, StartRolled
from companion.games.swapstax.state import Drew, Passed, ShufflerNamed
from companion.journal import codec
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.shelf import GAMES
from tests.played import FILES, named, read
from web.app import create_app

MOST_WORDS = 300
DEALT = ("stack_dice", "pack_and_stack", "speedstax", "swapstax")  # SAMESTAX first chooses who begins


@pytest.fixture
def device(host):
    """A device elsewhere in the network, with a ticket or without."""
    app = create_app(host)

    def device_with(ticket=""):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        if ticket:
            found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
        return found

    return device_with


@pytest.fixture
def quick(host):
    """A game of Stack that ends when somebody has more than 50 points."""
    return host.create("stack_dice", ["Ann", "Bob"], {}, preset="quick")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_taught_before_it_begins(client, name):
    answer = client.get(f"/how/{name}")
    assert answer.status_code == 200
    for sentence in GAMES[name].pages.how_to(GAMES[name].rules.options()).turn.sentences:
        assert escape(sentence) in answer.text
    assert f"/how/{name}" in client.get(f"/new?game={name}").text


def test_a_preset_has_its_own_numbers(client):
    assert "more than 200" in client.get("/how/stack_dice").text
    assert "more than 50" in client.get("/how/stack_dice?preset=quick").text
    assert "preset=quick" in client.get("/new?game=stack_dice&preset=quick").text


def test_a_running_game_is_taught_with_its_own_options(client, quick):
    answer = client.get(f"/s/{quick.session.id}/how")
    assert answer.status_code == 200
    assert "more than 50" in answer.text
    assert f'href="/s/{quick.session.id}/how"' in client.get(f"/s/{quick.session.id}").text


def test_each_game_can_be_learnt_where_games_are_chosen(client):
    shown = client.get("/new").text
    for name in GAMES:
        assert f'href="/how/{name}" data-how' in shown


@pytest.mark.parametrize("page", ["history", "result"])
def test_history_and_result_lead_to_how_to_play(client, quick, page):
    assert f'href="/s/{quick.session.id}/how" data-how' in client.get(f"/s/{quick.session.id}/{page}").text


@pytest.mark.parametrize("name", GAMES)
def test_the_set_up_says_rules_in_sentences_not_by_number(client, name):
    shown = client.get(f"/new?game={name}").text
    assert not re.search(r">[A-Z]{2,3}-\d\d", shown)


def test_unknown_games_and_presets_are_refused_with_a_sentence(client):
    assert client.get("/how/chess").status_code == 404
    assert client.get("/s/nothing/how").status_code == 404
    answer = client.get("/how/stack_dice?preset=mine")
    assert answer.status_code == 400
    assert "has no such preset" in answer.text


@pytest.mark.parametrize("role", [Role.WATCHER, Role.PLAYER])
def test_whoever_may_see_a_sheet_may_learn_the_game(host, device, quick, role):
    guest = device(host.access.tickets.issue(role))
    assert guest.get(f"/s/{quick.session.id}/how").status_code == 200
    assert guest.get("/how/stack_dice").status_code == 200


def test_a_device_for_one_seat_learns_its_own_game(host, device, quick):
    other = host.create("sack_stackers", ["Cy"], {})
    ticket = host.access.tickets.issue(Role.PLAYER, session=quick.session.id, player=quick.session.players[0])
    phone = device(ticket)
    assert phone.get(f"/s/{quick.session.id}/how").status_code == 200
    assert phone.get("/how/sack_stackers").status_code == 200
    assert phone.get(f"/s/{other.session.id}/how").status_code == 303  # to its own game, as from any page of another


def test_a_stranger_learns_nothing(device, quick):
    assert device().get("/how/stack_dice").status_code == 403
    assert device().get(f"/s/{quick.session.id}/how").status_code == 403


@pytest.mark.parametrize("name", GAMES)
def test_a_new_sheet_has_the_first_steps_until_something_was_entered(client, host, name):
    game = GAMES[name]
    table = host.create(name, ["Ann", "Bob", "Cy"], {})
    how = game.pages.how_to(table.session.options)
    sheet = f"/s/{table.session.id}/sheet"
    shown = client.get(sheet).text
    for step in (*how.set_up, *how.each_round):
        assert escape(step) in shown
    ruling = {"kind": "Ruling", "player": table.session.players[0], "points": 1, "why": "because"}
    posted = client.post(
        f"/api/sessions/{table.session.id}/events", json={"event_id": "tap", "seen_seq": 0, "event": ruling}
    )
    assert posted.status_code == 200, posted.text
    later = client.get(sheet).text
    assert escape(how.set_up[0]) not in later
    assert ("Before this round" in later) == (name in DEALT)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_short_and_sets_the_table_up_before_it_scores(client, name, language):
    shown = client.get(f"/how/{name}", headers={"Accept-Language": language}).text
    lesson = shown[shown.index('<div class="how-cards">') : shown.index('<p class="how-taps">')]
    headings = re.findall(r"<h2>(.*?)</h2>", lesson)
    titles = {"en": ["Goal", "Set up the table", "Scoring"], "de": ["Das Ziel", "Tisch einrichten", "Wertung"]}[
        language
    ]
    assert [title for title in headings if title in titles] == titles
    drawn = re.sub(
        r'<svg.*?</svg>|<table class="grid">.*?</table>|<span class="unseen">.*?</span>', "", lesson, flags=re.S
    )
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", unescape(re.sub(r"<[^>]+>", " ", drawn)))
    assert len(words) <= MOST_WORDS, len(words)


def test_whoever_waits_gets_no_hint_on_what_to_tap(client, host):
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    table.submit(StartRolled(((ann, 5), (bob, 3))), Origin("start"))
    table.submit(AllDropped(((ann, (6,) * 14), (bob, (6,) * 14))), Origin("drop"))
    assert [client.get(f"/s/{table.session.id}?player={who}").text.count("data-hint=") for who in (ann, bob)] == [1, 0]


def test_the_hint_of_swapstax_speaks_of_swapping_until_all_have_passed(client, host):
    table = host.create("swapstax", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    phases = []
    assert "data-hint" not in client.get(f"/s/{table.session.id}").text  # nobody can draw yet
    for event in (ShufflerNamed(ann), Drew(ann, 1), Drew(bob, 2), Passed(ann), Passed(bob)):
        table.submit(event, Origin(f"e{table.seq}"))
        phases += re.findall('data-hint="swapstax-(.*?)"', client.get(f"/s/{table.session.id}").text)
    assert phases == ["draw", "draw", "swap", "swap", "waiting"]


@pytest.mark.parametrize("name", GAMES)
def test_each_phase_of_a_first_game_shows_its_hint_in_the_line_of_notices(client, host, name):
    host.clock.offset_us += 10**11
    played = max((p for p in map(read, FILES) if p.game == name), key=lambda p: len(p.steps))
    table = host.create(name, list(played.players), played.options)
    ids = dict(zip(played.players, table.session.players, strict=True))
    phases, shown = set(), set()
    for number, step in enumerate(played.steps):
        if hint := table.game.pages.hint(table.state):
            phases.add(hint.sentence)
            page = client.get(f"/s/{table.session.id}/sheet").text
            line, _, _behind_it = page.partition('class="notices-all"')
            found = re.search(r'data-hint="[^"]*">(.*?)</span>', line)
            shown.add(unescape(found[1]) if found else "")
        table.submit(codec.event_from_json(table.game, named(step.event, ids)), Origin(f"e{number}"))
    assert shown == phases
    assert len(phases) > 1


@pytest.mark.parametrize(("shouts", "buttons"), [(True, ("Not correct",)), (False, ("Matches", "Not complete"))])
def test_the_hint_after_a_race_names_the_buttons_that_are_there(client, host, shouts, buttons):
    table = host.create("swapstax", ["Ann", "Bob"], {"shout_required": shouts})
    ann, bob = table.session.players
    host.clock.offset_us += 10**10
    drawn = (ShufflerNamed(ann), Drew(ann, 1), Drew(bob, 2), Passed(ann), Passed(bob))
    for event in (*drawn, Started(10**10, everyone=True)):
        table.submit(event, Origin(f"e{table.seq}"))
    for number, player in enumerate((ann, bob), 1):
        table.submit(Shouted(player, 10**10 + COUNTDOWN_US + number * 500_000), Origin(player))
    hint = table.game.pages.hint(table.state).sentence
    page = client.get(f"/s/{table.session.id}/sheet").text
    for button in buttons:
        assert button in hint
        assert re.search(rf"<button[^>]*>\s*(<svg.*?</svg>)?\s*{button}", page)


def test_the_hint_of_samestax_names_the_creators_buttons_and_those_of_the_copies_come_later(client, host):
    table = host.create("samestax", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    host.clock.offset_us += 10**10
    phases = []
    copying = Shouted(ann, 10**10 + COUNTDOWN_US + 500_000), Readied(bob), Started(10**10 + 10**8)
    for event in (CreatorChosen(ann), Started(10**10), *copying):
        table.submit(event, Origin(f"e{table.seq}"))
        phases += re.findall('data-hint="samestax-(.*?)"', client.get(f"/s/{table.session.id}").text)
    assert phases == ["create", "create", "waiting", "waiting", "running"]
