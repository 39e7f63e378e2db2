"""Beginning a game: every kind of switch typed and read back, presets, locked games, entrants."""

import re
from dataclasses import dataclass
from html import unescape
from io import BytesIO

import pytest

from companion.errors import BadInput
from companion.game.options import OptionChoice, option, option_infos
from companion.house import next_game
from companion.journal.devices import Role
from companion.journal.settings import ENTRANTS, REMEMBER
from companion.shelf import GAMES
from tests.shown_forms import fields_of
from tests.web.test_pages import begin
from web.app import create_app
from web.render import forms


@dataclass(frozen=True)
class Switches:
    """One of each kind."""

    yes: bool = option(True, "Yes", "Yes or no.", "A-1")
    size: int = option(5, "Size", "How large.", "A-2", low=4, high=10)
    supply: int | None = option(None, "Supply", "How many.", "A-3", low=1)
    limit: int | None = option(
        120, "Limit", "How long.", "A-4", (OptionChoice(120, "Two minutes"), OptionChoice(None, "No limit"))
    )
    cards: tuple[int, ...] = option((), "Cards", "Which cards.", "A-5")
    faces: tuple[tuple[int, ...], ...] = option(((1, 2), (3, 4)), "Faces", "Which faces.", "A-6")
    colours: tuple[str, ...] = option(("white", "grey"), "Colours", "Which colours.", "A-7")
    fines: tuple[tuple[str, int], ...] = option((), "Fines", "Which fines.", "A-8")
    dice: tuple[str, ...] = option(
        ("red", "blue"), "Dice", "Whose are which.", "A-10", (OptionChoice("red", "red"), OptionChoice("blue", "blue"))
    )
    shapes: tuple[tuple[str, str], ...] = option((("stripes", "I"),), "Shapes", "Which shapes.", "A-9")


WITHOUT_PRINTED_SHEET = {"score_pad", "dice_tray"}  # There is no one game to play quickly, or as a tournament.
INFOS = {info.name: info for info in option_infos(Switches)}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("size", "7", 7),
        ("supply", "", None),
        ("supply", " 24 ", 24),
        ("limit", "None", None),
        ("limit", "120", 120),
        ("cards", "1, 2 45", [1, 2, 45]),
        ("faces", "1 1 2\n\n0 3", [[1, 1, 2], [0, 3]]),
        ("colours", "green\r\n sky blue ", ["green", "sky blue"]),
        ("fines", "Spilled tea: -2\nLate: 1", [["Spilled tea", -2], ["Late", 1]]),
    ],
)
def test_what_is_typed_is_what_is_meant(name, text, value):
    assert forms.value_of(forms.typed(INFOS[name], {f"option.{name}": text})) == value


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("size", "3", "from 4 to 10"),
        ("size", "large", "whole number"),
        ("size", "", "whole number"),
        ("supply", "0", "1 or more"),
        ("limit", "60", "values shown"),
        ("cards", "1 two", "whole number"),
        ("cards", "-−1", "whole number"),
        ("fines", "Late", "a colon"),
        ("colours", "x" * 5000, "too long"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence_naming_the_switch(name, text, says):
    with pytest.raises(BadInput, match=says) as refusal:
        forms.value_of(forms.typed(INFOS[name], {f"option.{name}": text}))
    assert str(refusal.value).startswith(INFOS[name].label)


def test_a_menu_for_each_seat_says_one_of_its_choices():
    typed = {"option.dice.1": "blue", "option.dice.2": "red"}
    assert forms.value_of(forms.typed(INFOS["dice"], typed)) == ["blue", "red"]
    assert forms.value_of(forms.typed(INFOS["dice"], {"option.dice.2": "red"})) == ["red", "red"]
    with pytest.raises(BadInput, match="Dice: choose one of the values shown"):
        forms.value_of(forms.typed(INFOS["dice"], {"option.dice.1": "mauve"}))


def test_a_switch_that_the_form_shows_unticked_is_off_and_one_it_does_not_show_as_printed():
    assert forms.value_of(forms.typed(INFOS["yes"], {"option.yes.there": "1"})) is False
    assert forms.value_of(forms.typed(INFOS["yes"], {})) is True


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_switch_of_every_game_goes_through_the_form_unchanged(game):
    for info in option_infos(game.rules.options):
        field = forms.field_of(info, info.default)
        form = {field.name: field.text} | {f"{field.name}.{key}": text for key, text in field.pairs}
        assert forms.typed(info, {**form, f"{field.name}.there": "1"}) == field


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_preset_of_every_game_starts_one(client, host, game):
    names = ["Ann", "Bob", "Cleo", "Dora"][: max(2, game.rules.seats[0])]
    presets = [preset.name for preset in game.pages.presets]
    assert presets[0] == "printed"
    if game.rules.name not in WITHOUT_PRINTED_SHEET:
        assert {"printed", "quick", "tournament"} <= {*presets}
    for preset in game.pages.presets:
        page = client.get(f"/new?game={game.rules.name}&preset={preset.name}")
        assert page.status_code == 200
        assert (
            client.post("/new", data={"game": game.rules.name, "preset": preset.name, "player": names}).status_code
            == 303
        )
        session = host.sessions()[0].session
        assert (session.preset, session.locked) == (preset.name, preset.name == "tournament")


def test_a_changed_switch_makes_the_game_the_tables_own(client, host):
    begin(client, "Ann", "Bob", preset="printed", **{"option.mirror.there": "1"})
    session = host.sessions()[0].session
    assert (session.preset, session.options.mirror) == ("", False)


def test_a_tournament_takes_no_change_of_a_switch(host):
    with pytest.raises(BadInput, match="fixes every rule of"):
        host.create("sack_stackers", ["Ann"], {"mirror": False}, preset="tournament")
    with pytest.raises(BadInput, match="no such preset"):
        host.create("sack_stackers", ["Ann"], {}, preset="chaos")


# entrants


def save(client, **data):
    """Sends a list, and then the names that were shown."""
    shown = client.post("/entrants", data=data)
    return client.post("/entrants", data=fields_of(shown.text) | {"sure": "1"})


def test_a_pasted_list_of_entrants_counts_once_it_was_shown_and_is_offered_at_set_up(client, host):
    shown = client.post("/entrants", data={"text": "Ann\n\n  Bob  \nCleo"})
    assert (shown.status_code, "3 names were understood." in shown.text) == (200, True)
    assert ENTRANTS.of(host.journal) == ""
    assert save(client, text="Ann\n\n  Bob  \nCleo").status_code == 303
    page = client.get("/new?game=sack_stackers").text
    assert [f'<option value="{name}">' in page for name in ("Ann", "Bob", "Cleo")] == [True] * 3


def test_a_csv_file_gives_its_first_column(client):
    table = "Name;Club\nAnn;North\nBob;South\n".encode("utf-8-sig")
    save(client, file=(BytesIO(table), "entrants.csv"))
    page = client.get("/entrants").text
    assert "Ann\nBob</textarea>" in page


def test_other_columns_are_chosen_before_anything_counts(client, host):
    table = "Zug;Wuvo;Zyxa\nQip;Blim;Quort\n"
    sent = fields_of(client.post("/entrants", data={"text": table}).text)
    for chosen, names in (
        ({"part0": "2", "part1": "1", "part2": "", "skip": "0"}, ["Zyxa Wuvo", "Quort Blim"]),
        ({"part0": "1", "part1": "", "part2": "", "skip": "1"}, ["Blim"]),
        ({"part0": "99", "part1": "x", "part2": "", "skip": "0"}, []),
    ):
        again = client.post("/entrants", data=sent | chosen | {"again": "1"})
        assert fields_of(again.text)["text"].splitlines() == names
        assert again.status_code == (200 if names else 400)
        assert ENTRANTS.of(host.journal) == ""
        if names:  # The page knows what was chosen.
            assert client.post("/entrants", data=fields_of(again.text) | {"again": "1"}).text == again.text


def test_a_heading_far_below_is_still_the_one_that_is_chosen(client):
    table = "".join(f"Title {number};;\n" for number in range(5)) + "No;Name;Club\n1;Ann;North\n2;Ben;South\n"
    sent = fields_of(client.post("/entrants", data={"text": table}).text)
    assert (sent["skip"], sent["text"].splitlines()) == ("6", ["Ann", "Ben"])


def test_a_name_is_corrected_where_it_is_shown(client, host):
    shown = client.post("/entrants", data={"text": "Ann Lee\nBen Fox\nann lee"})
    assert (shown.status_code, "Two players are called" in shown.text) == (400, True)
    sent = fields_of(shown.text)
    assert sent["text"].splitlines() == ["Ann Lee", "Ben Fox", "ann lee"]
    assert client.post("/entrants", data=sent | {"sure": "1"}).status_code == 400
    assert client.post("/entrants", data=sent | {"sure": "1", "text": "Ann Lee\nBen Fox\nLee, Anna"}).status_code == 303
    assert ENTRANTS.of(host.journal).splitlines() == ["Ann Lee", "Ben Fox", "Lee, Anna"]


def test_what_was_left_out_is_shown_and_added_by_one_tap(client, host):
    shown = client.post("/entrants", data={"text": "Name\nAnn Lee\nGroup B\nBen Fox\nTotal: 2"})
    sent = fields_of(shown.text)
    assert sent["text"].splitlines() == ["Ann Lee", "Ben Fox"]
    added = client.post("/entrants", data=sent | {"add": "Group B"})
    assert fields_of(added.text)["text"].splitlines() == ["Ann Lee", "Ben Fox", "Group B"]
    taps = ['name="add" value="Name"', 'name="add" value="Group B"', 'name="add" value="Total: 2"']
    assert [tap in shown.text for tap in taps] == [True, True, True]
    assert [tap in added.text for tap in taps] == [True, False, True]
    assert ENTRANTS.of(host.journal) == ""
    assert client.post("/entrants", data=fields_of(added.text) | {"sure": "1"}).status_code == 303
    assert ENTRANTS.of(host.journal).splitlines() == ["Ann Lee", "Ben Fox", "Group B"]


@pytest.mark.parametrize("text", ["(" * 1_000, '"' * 1_001, "<" * 1_000, "[" * 5_000, "<a@b.c>(" * 500, "a b " * 9_000])
def test_a_list_of_brackets_and_quotes_is_shown_or_refused(client, text):
    for data in ({"text": text}, {"file": (BytesIO(text.encode()), "list.csv")}):
        assert client.post("/entrants", data=data).status_code in (200, 400)


def test_an_empty_list_deletes_the_one_there_is(client, host):
    save(client, text="Ann")
    assert client.post("/entrants", data={"text": "\n"}).status_code == 303
    assert ENTRANTS.of(host.journal) == ""


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"text": "Ann\nann"}, "Two players are called"),
        ({"text": "x" * 100}, "100 characters"),
        ({"file": (BytesIO(b"\xff\xfe\x00"), "list.csv")}, "UTF-8"),
        ({"text": "\n".join(f"Player {n}" for n in range(501))}, "at most 500"),
    ],
)
def test_a_bad_list_is_one_sentence_and_changes_nothing(client, data, says):
    save(client, text="Ann")
    refused = client.post("/entrants", data=data)
    assert refused.status_code == 400
    assert says in refused.text
    assert "1 name is on the list" in refused.text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"Ann\rBob\rCid\r", ["Ann", "Bob", "Cid"]),  # as an old Macintosh saves it
        (b"Name;Club\rAnn;A\rBob;B\r", ["Ann", "Bob"]),
        (b'Ann\n"Bob\nCid', ["Ann", "Bob", "Cid"]),
        (b"x" * 140_000, None),
    ],
)
def test_a_list_of_entrants_is_read_line_by_line_or_refused(client, host, text, names):
    answer = client.post("/entrants", data={"file": (BytesIO(text), "names.csv")})
    assert answer.status_code == (200 if names else 400)
    if names:
        save(client, file=(BytesIO(text), "names.csv"))
    assert ENTRANTS.of(host.journal).splitlines() == (names or [])


@pytest.mark.parametrize(("asked", "players"), [("3", 3), ("1", 2), ("9", 4), ("²", 2), ("", 2)])
def test_a_number_on_a_games_card_is_the_number_of_players(client, asked, players):
    """Within what the game allows: SPEEDSTAX is for 2 to 4; who asks for nothing gets two."""
    page = client.get(f"/new?game=speedstax&players={asked}").text
    assert [f'value="Player {seat}"' in page for seat in range(1, 6)] == [seat <= players for seat in range(1, 6)]


def test_the_first_page_offers_each_game_until_one_is_begun(client):
    for name in GAMES:
        assert f'name="game" value="{name}"' in client.get("/").text
    begin(client, "Ann")
    assert 'name="game"' not in client.get("/").text


@pytest.mark.parametrize("remember", [True, False])
def test_a_number_begins_a_game_without_names_where_the_house_knows_none(client, host, remember):
    REMEMBER.put(host.journal, remember)
    assert 'name="seats" value="3"' in client.get("/new").text
    session = client.post("/new", data={"game": "speedstax", "seats": "3"}).location.split("/")[2].split("?")[0]
    table = host.table(session)
    assert [table.names[player] for player in table.session.players] == ["Player 1", "Player 2", "Player 3"]
    assert (table.session.preset, table.session.options) == (
        "printed",
        host.create("speedstax", ["A", "B"], {}).session.options,
    )
    assert REMEMBER.of(host.journal) is remember
    assert host.people.everybody() == ()


@pytest.mark.parametrize("seats", ["", "0", "99", "²", "x"])
def test_a_number_that_is_no_number_of_players_begins_none_or_as_many_as_may_play(client, host, seats):
    answer = client.post("/new", data={"game": "speedstax", "seats": seats})
    begun = [len(table.session.players) for table in host.sessions(5)]
    assert (answer.status_code, begun) == {"0": (303, [2]), "99": (303, [4])}.get(seats, (400, []))


def test_a_number_leads_to_the_set_up_where_the_house_knows_names(client, host):
    begin(client, "Ann", "Bob")
    assert "&amp;players=3" in client.get("/new").text
    assert 'name="seats"' not in client.get("/new").text
    next_game.clear(host)
    assert 'name="seats"' in client.get("/new").text
    host.people.add("Cy")
    assert 'name="seats"' not in client.get("/new").text


OWN_PAD = {
    "option.kind": "rows",
    "option.rows": "Threes: sum of 3\nHäuser & Höfe: 3+2 alike = 25",
    "option.negative.there": "1",
    "option.writers": "host",
}


def shown_rules(page):
    """The house rules of a set-up page, as they stand in it."""
    (found,) = re.findall(r'<details class="house-rules".*?</details>', page.text, re.DOTALL)
    return found


def test_rules_are_shared_as_a_link_without_the_players(client):
    form = {"game": "score_pad", "preset": "printed", "player": ["Zoë", "Yan"], **OWN_PAD}
    shared = client.post("/new", data={**form, "share": "1"})
    assert shared.status_code == 200
    (link,) = re.findall(r'<a href="(/new\?[^"]+)"', shared.text)
    assert "Zo" not in link
    page = client.get(unescape(link))
    assert shown_rules(page) == shown_rules(shared)
    assert "Häuser &amp; Höfe: 3+2 alike = 25" in page.text
    assert client.get("/api/sessions").json == []  # Nothing was begun.


def test_rules_are_shared_as_a_file_that_import_takes(client):
    form = {"game": "score_pad", "preset": "printed", "player": ["Zoë"], **OWN_PAD}
    file = client.post("/new", data={**form, "file": "1"})
    assert file.headers["Content-Disposition"] == "attachment; filename=score_pad-rules.json"
    assert file.json == {
        "game": "score_pad",
        "options": {
            "kind": "rows",
            "rows": ["Threes: sum of 3", "Häuser & Höfe: 3+2 alike = 25"],
            "negative": False,
            "writers": "host",
        },
    }
    taken = client.post("/import", data={"file": (BytesIO(file.data), "rules.json")})
    assert taken.status_code == 303
    page = client.get(taken.location)
    assert shown_rules(page) == shown_rules(client.post("/new", data={**form, "share": "1"}))


@pytest.mark.parametrize(
    ("text", "code"),
    [('{"game": "score_pad", "options": {"rows": 3}}', 400), ('{"game": "chess", "options": {}}', 404), ("[]", 400)],
)
def test_a_file_of_rules_that_cannot_be_read_is_refused(client, text, code):
    answer = client.post("/import", data={"file": (BytesIO(text.encode()), "rules.json")})
    assert answer.status_code == code


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_preset_of_every_game_can_be_shared(client, game):
    for preset in game.pages.presets:
        if preset.locked:
            continue
        infos = option_infos(game.rules.options)
        fields = [forms.field_of(info, preset.options.get(info.name, info.default)) for info in infos]
        sent = {name: text for field in fields for name, text in forms.sent(field).items()}
        shared = client.post("/new", data={"game": game.rules.name, "preset": preset.name, **sent, "share": "1"})
        (link,) = re.findall(r'<a href="(/new\?[^"]+)"', shared.text)
        assert shown_rules(client.get(unescape(link))) == shown_rules(shared), preset.name


@pytest.mark.parametrize("text", ["", "☃:\n: ::", "<b>\"'&", "-", "9" * 40, "x" * 5000])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_rules_of_nonsense_in_an_address_are_shown_again_and_begin_nothing(client, game, text):
    names = [forms.field_of(info, info.default).name for info in option_infos(game.rules.options)]
    page = client.get("/new", query_string={"game": game.rules.name, **dict.fromkeys(names, text)})
    assert page.status_code == 200
    assert "<b>\"'&" not in shown_rules(page)
    assert client.get("/api/sessions").json == []


def test_an_address_changes_no_rule_of_a_locked_preset(client):
    locked = "/new?game=sack_stackers&preset=tournament"
    assert shown_rules(client.get(f"{locked}&option.overlap=shared")) == shown_rules(client.get(locked))


def kept_rules(page):
    """Name → address of the rules that a set-up page offers as the house's own."""
    return {
        name: unescape(link) for link, name in re.findall(r'<a class="tap t-plain" href="([^"]+)">([^<]+)</a>', page)
    }


def test_the_host_keeps_rules_under_a_name_and_forgets_them(client):
    form = {"game": "score_pad", "preset": "printed", "player": ["Zoë"], **OWN_PAD}
    kept = client.post("/new", data={**form, "keep": "1", "kept_as": "  Market   day "})
    assert kept.status_code == 200
    assert 'value="Zoë"' in kept.text
    client.post("/new", data={**form, "option.rounds": "7", "keep": "1", "kept_as": "Fair"})
    own = kept_rules(client.get("/new?game=score_pad").text)
    assert list(own) == ["Market day", "Fair"]
    assert "Häuser &amp; Höfe" in client.get(own["Market day"]).text
    assert kept_rules(client.get("/new?game=sack_stackers").text) == {}
    client.post("/new", data={**form, "option.rounds": "9", "keep": "1", "kept_as": "Fair"})  # It takes the place.
    own = kept_rules(client.get("/new?game=score_pad").text)
    assert 'value="9"' in shown_rules(client.get(own["Fair"]))
    client.post("/new", data={"game": "score_pad", "preset": "printed", "forget": "Market day"})
    assert list(kept_rules(client.get("/new?game=score_pad").text)) == ["Fair"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 41])
def test_rules_are_kept_under_a_name_of_forty_characters_at_most(client, name):
    form = {"game": "score_pad", "preset": "printed", **OWN_PAD}
    refused = client.post("/new", data={**form, "keep": "1", "kept_as": name})
    assert (refused.status_code, "Häuser &amp; Höfe" in refused.text) == (400, True)
    assert kept_rules(client.get("/new?game=score_pad").text) == {}


def test_only_the_host_keeps_rules(host, client):
    guest = create_app(host).test_client()
    guest.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    guest.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.PLAYER)}"
    form = {"game": "score_pad", "preset": "printed", **OWN_PAD, "keep": "1", "kept_as": "Mine"}
    assert guest.post("/new", data=form).status_code == 403
    assert kept_rules(client.get("/new?game=score_pad").text) == {}
    assert 'name="keep"' not in guest.get("/new?game=score_pad").text
