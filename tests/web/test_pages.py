"""The pages: there when nothing is, escaped whatever is typed, safe by their headers, and drawing every widget."""

import re
from pathlib import Path

import pytest
from flask import render_template

import web
from companion.clock import wall_us
from companion.game.box import Device, Signal
from companion.game.widgets import WIDGETS, Notice
from companion.games.sack_stackers.events import Placed, Rolled
from companion.journal.events import Origin
from companion.shelf import GAMES
from tests.web.test_access import addresses
from tests.web.test_api import doubtful
from web.pages.gallery import SAMPLES

WEB = Path(web.__file__).parent
PAGES = ("/", "/new", "/gallery", "/new?game=sack_stackers", "/new?game=speedstax")


def begin(client, *names, game="sack_stackers", **fields):
    return client.post("/new", data={"game": game, "player": list(names), **fields})


@pytest.mark.parametrize("path", PAGES)
def test_pages_stand_when_nothing_exists_yet(client, path):
    assert client.get(path).status_code == 200


def test_every_answer_carries_a_strict_policy_and_no_page_needs_more(demo_client, host, sack):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    ann = host.people.add("Ann").id
    seen = set()
    for endpoint, method, address in addresses(demo_client.application, sack.session.id, ann):
        if method != "GET" or endpoint.endswith("stream"):
            continue
        with demo_client.get(address) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            if endpoint == "results.picture":  # it holds its own fonts and style, and neither loads nor runs anything
                allowed = "style-src 'unsafe-inline'; font-src data:; img-src data:"  # the photo of the final table
                assert policy == f"default-src 'none'; {allowed}; frame-ancestors 'none'"
            else:
                assert "script-src 'self'" in policy
                assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            if answer.mimetype != "text/html":
                continue
            text = re.sub(r"https?://[^\s\"<]*/join/[^\s\"<]+", "our own code", answer.text)
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:", text), address
        assert not re.search(r"(?:src|href|action)=[\"']?(?:https?:)?//", text), address
        if answer.status_code == 200:
            seen.add(endpoint)
    whole = {"api.docs", "screen.big_screen_page", "screen.overlay_page", "calibrate.page", "certificate.page",
             "demo.table_page", "people.person_page", "seasons.season_page", "set_up.new", "wizard.page"}  # fmt: skip
    assert whole <= seen  # drawn, not refused


def test_three_taps_start_a_game(client):
    page = client.get("/new?game=sack_stackers").text
    names = re.findall(r'name="player" value="([^"]+)"', page)
    started = begin(client, *names)
    assert started.status_code == 303
    assert client.get(started.location).status_code == 200


def test_names_with_html_are_shown_as_typed_and_never_run(client):
    page = client.get(begin(client, "<b>Eve</b>", "Bob").location).text
    assert "&lt;b&gt;Eve&lt;/b&gt;" in page
    assert "<b>Eve" not in page
    assert "<b>Eve" not in client.get("/").text


def test_a_name_of_10_kb_is_one_sentence_above_the_form(client):
    refused = begin(client, "x" * 10_000, "Bob")
    assert refused.status_code == 400
    assert "has 10000 characters" in refused.text
    assert 'value="Bob"' in refused.text
    assert len(refused.text) < 20_000


def test_the_wrappings_are_named_as_the_sheet_shows_them(client, host):  # SS-03
    named = {"option.pattern_map.paper of the square.is": "red dots", "option.pattern_map.paper of the square": "O"}
    begin(client, "Ann", **named)
    session = host.sessions()[0].session
    assert dict(session.options.pattern_map)["red dots"] == "O"
    assert "O: red dots" in client.get(f"/s/{session.id}").text
    again = begin(
        client, "Ann", **named, **{"option.pattern_map.paper of the T.is": "red dots"}
    )  # twice: refused, kept
    assert again.status_code == 400
    assert again.text.count('value="red dots"') == 2


def test_house_rules_reach_the_game_and_wrong_ones_are_refused(client, host):
    fields = {
        "option.mirror.there": "1",
        "option.altered_range": "strict",
        "option.pattern_map.paper of the square": "T",
    }
    begin(client, "Ann", **{**fields, "option.pattern_map.paper of the T": "O"})
    options = host.sessions()[0].session.options
    assert (options.mirror, options.altered_range) == (False, "strict")
    assert dict(options.pattern_map)["paper of the square"] == "T"
    assert begin(client, "Ann", **{"option.altered_range": "nonsense"}).status_code == 400
    assert begin(client, "Ann", "Bob", game="speedstax", **{"option.tie_ms": "many"}).status_code == 400
    assert begin(client, "Ann", "Bob", game="speedstax", **{"option.deck_subset": "1 2, 3 4 5"}).status_code == 303
    assert begin(client, "Ann", game="nothing").status_code == 404


def test_a_device_remembers_whose_sheet_it_shows(client, sack):
    player = sack.session.players[1]
    assert "Bob" in client.get(f"/s/{sack.session.id}?player={player}").text
    assert f"player={player}" in client.get("/").text
    client.get(f"/s/{sack.session.id}?player=")
    assert f"player={player}" not in client.get("/").text


def test_what_a_device_keeps_of_its_games_never_grows_past_what_a_server_reads(client, host):
    for number in range(90):  # a tournament begun on one tablet
        game = {
            "game": "sack_stackers",
            "players": ["Ann", "Bob"],
            "preset": "tournament",
            "session_id": f"the-cup-round-{number}",
        }
        assert client.post("/api/sessions", json=game).status_code == 201
        ann = host.table(f"the-cup-round-{number}").session.players[0]
        assert client.get(f"/s/the-cup-round-{number}?player={ann}").status_code == 200
    kept = [client.get_cookie(name).value for name in ("seats", "referee")]
    assert all(len(value) < 4000 for value in kept)
    assert sum(map(len, kept)) < 7000
    assert f"/s/the-cup-round-89?player={ann}" in client.get("/").text
    assert host.referees.is_key("the-cup-round-89", kept[1].rpartition(":")[2])


def test_the_draft_lives_in_the_address_and_is_limited(client, sack):
    sheet = f"/s/{sack.session.id}/sheet"
    sack.submit(Rolled((3, 5)), Origin("roll"))
    assert "changed to 4" in client.get(f"{sheet}?player={sack.session.players[0]}&d.marks=1+1").text
    assert client.get(f"{sheet}?d.marks={'3' * 500}").status_code == 400
    assert client.get(sheet + "?" + "&".join(f"d.{n}=1" for n in range(65))).status_code == 400
    assert client.get(f"{sheet}?player=nobody").status_code == 404


def test_a_question_shows_the_picture_the_likely_values_and_the_sure_dice(client, host, sack):
    host.on_reading(doubtful())
    page = client.get(f"/s/{sack.session.id}").text
    assert "What does this die show?" in page
    assert page.count("/api/pictures/") == 1
    assert re.findall(r'data-value="(\d)"', page) == ["5", "6", "1", "2", "3", "4"]
    assert "None of these" in page
    assert "Sure" in page


@pytest.mark.parametrize("page", ["history", "correct/1", "result"])
def test_the_picture_of_an_entry_is_shown_for_as_long_as_it_is_kept(client, host, sack, page):
    name = host.journal.add_picture(b"frame", wall_us(), sack.session.id)
    sack.submit(Rolled((3, 5)), Origin("roll", 0, source="camera"), reading={"picture": name})
    shown = f'src="/api/pictures/{name}.jpg"'
    assert shown in client.get(f"/s/{sack.session.id}/{page}").text
    host.pictures.keep_for(0)
    assert "/api/pictures/" not in client.get(f"/s/{sack.session.id}/{page}").text


def test_the_last_entry_offers_undo_and_correct_and_an_undo_offers_redo(client, sack):
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    page = client.get(f"/s/{sack.session.id}").text
    assert 'data-undo=""' in page
    assert f"/s/{sack.session.id}/correct/1" in page
    sack.undo(Origin("undo", 1))
    assert 'data-undo="2"' in client.get(f"/s/{sack.session.id}").text


def test_undo_is_offered_while_there_is_something_to_undo(client, sack):
    sheet, history = f"/s/{sack.session.id}", f"/s/{sack.session.id}/history"
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    assert all('data-undo=""' in client.get(page).text for page in (sheet, history))
    sack.undo(Origin("undo", 1))
    for page in (sheet, history):
        footer = client.get(page).text.partition('<footer class="last')[2]
        assert "Redo" in footer
        assert 'data-undo=""' not in footer  # a tap on it was refused: there is nothing to undo
    sack.undo(Origin("redo", 2), seq=2)
    assert 'data-undo=""' in client.get(sheet).text


def test_after_a_redo_the_last_entry_says_what_came_back_and_offers_the_older_undo(client, sack):
    ann, _ = sack.session.players
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    sack.submit(Placed(ann, 1, 3, "I", "I", 5), Origin("ann", 1))
    for each in ("undo", "more"):
        sack.undo(Origin(each))
    sack.undo(Origin("redo"), seq=4)
    footer = client.get(f"/s/{sack.session.id}").text.partition('<footer class="last')[2]
    assert f"Redone: {sack.history.line(1).sentence}" in footer
    assert 'data-undo="3"' in footer
    sack.undo(Origin("both"), seq=3)
    footer = client.get(f"/s/{sack.session.id}").text.partition('<footer class="last')[2]
    assert f"Redone: {sack.history.line(2).sentence}" in footer
    assert 'id="redo" disabled' in footer  # in its place, where a tap does nothing
    assert f"/s/{sack.session.id}/correct/2" in footer


def test_a_correction_that_was_undone_and_redone_is_told_as_one(client, sack):
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    sack.amend(1, Rolled((3, 6)), Origin("fix", 1))
    sack.undo(Origin("undo"))
    assert "A correction was undone." in client.get(f"/s/{sack.session.id}").text
    sack.undo(Origin("redo"), seq=3)
    assert "A correction was redone." in client.get(f"/s/{sack.session.id}").text


def test_the_history_shows_every_entry_and_a_correction_previews_before_and_after(client, sack):
    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    assert "3 and 5" in client.get(f"/s/{sack.session.id}/history").text
    assert "Roll both dice" in client.get(f"/s/{sack.session.id}/correct/1").text
    preview = client.post(f"/s/{sack.session.id}/preview/1", json={"event": {"kind": "Rolled", "dice": [6, 6]}})
    assert "6 and 6" in preview.text
    assert sack.seq == 1
    assert client.get(f"/s/{sack.session.id}/correct/9").status_code == 404


def test_every_widget_has_exactly_one_template_and_a_sample():
    names = {widget.__name__ for widget in WIDGETS}
    assert {path.stem for path in (WEB / "templates" / "widgets").iterdir()} == names
    assert [name for name, _ in SAMPLES] == [widget.__name__ for widget in WIDGETS]
    assert all(type(widget).__name__ == name for name, widgets in SAMPLES for widget in widgets)


def test_a_widget_escapes_what_it_shows(client):
    with client.application.test_request_context():
        drawn = render_template("widgets/Notice.html", widget=Notice("<script>alert(1)</script>"))
    assert "<script>" not in drawn


def test_nothing_in_web_knows_a_game_by_name():
    plain_words = {"Stack"}  # a title that is what blocks and dice are built into, too
    titles = {game.pages.title for game in GAMES.values()} - plain_words
    words = [*GAMES, *titles]
    for path in WEB.rglob("*"):
        if path.suffix in {".py", ".html", ".js", ".css"}:
            text = path.read_text().casefold()
            assert not [word for word in words if word.casefold() in text], path


def test_refusals_are_pages_with_a_way_back(client):
    missing = client.get("/s/nothing")
    assert missing.status_code == 404
    assert "There&#39;s no such game here" in missing.text
    assert 'href="/"' in missing.text


def test_a_page_without_a_demo_has_no_table(client):
    assert client.get("/table").status_code == 404
    assert "/table" not in client.get("/").text


def test_fonts_come_with_their_licence():
    fonts = WEB / "static" / "fonts"
    for font in fonts.glob("*.woff2"):
        assert (fonts / f"{font.name.removesuffix('-latin-wght-normal.woff2')}-OFL.txt").exists()


def test_an_empty_history_says_so_once_at_its_top(client, sack):
    page = client.get(f"/s/{sack.session.id}/history").text
    assert page.count("Ready when you are") == 1
    assert page.index("Ready when you are") < page.index('<ol class="history"')
    assert "0 entries" not in page


def test_two_cameras_are_told_apart(client, host):
    for part in ("camera", "front camera"):
        host.status.set(part, "ok", "The camera sees the table.")
    lines = re.findall(r"<li class=\"status-ok\">.*?<span>(.*?)</span></li>", client.get("/").text, re.DOTALL)
    assert lines == ["The camera sees the table.", "Front camera: The camera sees the table."]


def icon_of_remark(page):
    """What the icon beside the remark draws."""
    return re.search(r'class="remark".*?(<svg.*?</svg>)', page, re.S)[1]


def test_what_the_box_refuses_bears_the_sign_of_the_box(client, host):
    stack = host.create("stack_dice", ["Ann", "Bob"], {})
    race = host.create("speedstax", ["Ann", "Bob"], {})
    host.presses.hear(Signal(Device.START, True, 1))
    shown = client.get(f"/s/{race.session.id}/sheet").text
    assert "players to press Ready" in shown
    macros = client.application.jinja_env.get_template("macros.html").module
    assert icon_of_remark(shown) == str(macros.icon("box"))
    assert "/colours" not in shown
    host.active.hold(stack.session.id)
    host.presses.hear(Signal(Device.UNDO, True, 2))
    shown = client.get(f"/s/{stack.session.id}/sheet").text
    assert icon_of_remark(shown) == str(macros.icon("box"))
    assert "/colours" not in shown  # no dice were read that could be anybody's


def test_a_long_history_comes_in_pages(client, sack):
    for number in range(202):
        sack.submit(Rolled((3, 5)), Origin(f"roll-{number}"))
        sack.undo(Origin(f"undo-{number}"))
    newest = client.get(f"/s/{sack.session.id}/history").text
    assert "202 entries, newest first" in newest
    assert newest.count('class="entry entry-') == 200
    older = re.search(r'href="([^"]+before=\d+)"', newest)[1]
    page = client.get(older).text
    assert page.count('class="entry entry-') == 2
    assert f"history/list?before={older.rpartition('=')[2]}" in page
