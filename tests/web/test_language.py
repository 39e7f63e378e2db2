"""A page speaks the language chosen on the device, else the browser's, else the house's."""

import pytest

from companion import shelf, words
from companion.errors import IllegalEvent
from companion.games.sack_stackers.events import Rolled
from companion.games.stack_dice.events import AllDropped, StartRolled
from companion.games.stack_dice.stacks import DICE
from companion.journal.events import Origin
from companion.journal.settings import LANGUAGE, PAPER
from companion.printing.paper import A4

GERMAN, FRENCH = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}, {"Accept-Language": "fr"}


def spoken(client, **headers) -> str:
    page = client.get("/new", headers=headers.get("headers")).text
    return page.split('<html lang="')[1][:2]


@pytest.mark.parametrize(
    ("chosen", "browser", "house", "language"),
    [
        (None, None, None, "en"),
        (None, GERMAN, None, "de"),
        (None, FRENCH, None, "en"),
        (None, FRENCH, "de", "de"),
        ("en", GERMAN, "de", "en"),
        ("de", None, None, "de"),
        ("tlh", GERMAN, None, "de"),
    ],
)
def test_who_decides(client, host, chosen, browser, house, language):
    if chosen:
        client.set_cookie("language", chosen)
    if house:
        LANGUAGE.put(host.journal, house)
    assert spoken(client, headers=browser) == language


def test_page_form_and_scripts(client):
    client.set_cookie("language", "de")
    page = client.get("/new?game=sack_stackers").text
    assert "Wer spielt?" in page
    assert "Sack Stackers starten" in page
    assert "Spiegelbilder" in page
    assert "Keine Verbindung zum Tisch" in page.split('name="words" content="')[1].split('">')[0]


def test_the_api_refuses_in_the_language_that_is_asked_for(client, sack):
    body = {"event": {"kind": "Rolled", "dice": [9, 9]}, "event_id": "one", "seen_seq": 0}
    refused = client.post(f"/api/sessions/{sack.session.id}/events", json=body, headers=GERMAN)
    assert refused.json == {"error": "Ein Würfel zeigt 1 bis 6. Gebt ein, was die beiden Würfel zeigen."}
    again = client.post(f"/api/sessions/{sack.session.id}/events", json=body)
    assert again.json == {"error": "A die shows 1 to 6. Enter what the two dice show."}


def test_routes_that_lead_nowhere_refuse_in_it_too(client):
    assert client.get("/api/lost", headers=GERMAN).json["error"].startswith("Unter dieser Adresse ist nichts")


def test_the_history_is_told_to_each_in_the_own_language(client, sack):
    sack.submit(Rolled((3, 5)), Origin("one"))
    address = f"/s/{sack.session.id}/history"
    assert "Rolled 3 and 5." in client.get(address).text
    german = client.get(address, headers=GERMAN).text
    assert "3 und 5 gewürfelt." in german
    assert "1 Eintrag, neueste zuerst" in german
    assert "Rolled 3 and 5." in client.get(address).text


def rolled_a_two(ann, _bob):
    return [{"kind": "Rolled", "player": ann, "die": f"{ann}-6a", "value": 2}]


def captured(ann, bob):
    plays = ((ann, "6a", f"{bob}-6a"), (bob, "6b", f"{ann}-6a"), (ann, "6b", f"{bob}-6b"))  # the fourth die
    return [{"kind": "Stacked", "player": who, "die": f"{who}-{die}", "onto": onto} for who, die, onto in plays]


@pytest.mark.parametrize(
    ("option", "plays", "english", "german"),
    [
        ("hr_rolled_two", rolled_a_two, "Rolled a 2", "Eine 2 gewürfelt"),  # ST-82
        ("hr_capture_tax", captured, "Capture tax", "Eroberungssteuer"),  # ST-83
    ],
)
def test_why_a_house_rule_costs_a_point_is_told_to_each_in_the_own_language(
    client, host, option, plays, english, german
):
    table = host.create("stack_dice", ["Ann", "Bob"], {option: True})
    ann, bob = table.session.players
    sixes = AllDropped(((ann, (6,) * DICE), (bob, (6,) * DICE)))
    for event in (StartRolled(((ann, 6), (bob, 3))), sixes):
        table.submit(event, Origin(type(event).__name__))
    address = f"/api/sessions/{table.session.id}"
    for event in plays(ann, bob):
        body = {"event": event, "event_id": f"tap-{table.seq}", "seen_seq": table.seq}
        assert client.post(f"{address}/events", json=body, headers=GERMAN).status_code == 200
    told = client.get(address, headers=GERMAN)
    assert told.status_code == 200
    assert [fine["why"] for fine in told.json["state"]["penalties"]] == [english]  # the key, whoever tapped
    page = f"/s/{table.session.id}/result"
    assert english in client.get(page).text
    assert german in client.get(page, headers=GERMAN).text


def test_remarks_and_statuses_made_by_threads_are_told_when_shown(client, host, sack):
    host.status.set("camera", "down", words._("The camera has stopped sending pictures."))
    page = f"/s/{sack.session.id}"
    assert "The camera has stopped sending pictures." in client.get(page).text
    assert "Die Kamera liefert kein Bild mehr." in client.get(page, headers=GERMAN).text


def test_the_journal_holds_no_sentence(client, sack):
    client.set_cookie("language", "de")
    body = {"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "one", "seen_seq": 0}
    assert client.post(f"/api/sessions/{sack.session.id}/events", json=body).status_code == 200
    exported = client.get(f"/api/sessions/{sack.session.id}/export").text
    assert "Würfel" not in exported
    assert '"Rolled"' in exported


def test_a_refusal_that_is_remembered_is_told_anew(sack):
    for language, sentence in (("en", "A die shows"), ("de", "Ein Würfel zeigt")):
        words.speak(language)
        with pytest.raises(IllegalEvent, match=sentence):
            sack.submit(Rolled((9, 9)), Origin("one"))
    words.speak("en")


def test_the_house_chooses(client, host):
    form = {"corrections": "players", "picture_days": "30", "language": "de"}
    assert client.post("/house/rules", data=form).status_code == 303
    assert spoken(client, headers=FRENCH) == "de"
    assert client.post("/house/rules", data={**form, "language": "xx"}).status_code == 400
    assert spoken(client, headers=FRENCH) == "de"


def test_the_house_names_a_package_whose_game_cannot_be_played_and_tells_why_to_each(client, monkeypatch):
    assert "can't be played" not in client.get("/house").text
    monkeypatch.setattr(shelf, "REFUSED", (shelf.Refused("farkle", "farkle", shelf.why_not(7, {})),))
    page = client.get("/house").text
    assert "The game of the package <strong>farkle</strong> can't be played." in page
    assert "Its entry point names no game. Tell its author." in page
    assert "Sein Einstiegspunkt nennt kein Spiel." in client.get("/house", headers=GERMAN).text


def test_the_house_says_which_paper_its_printer_has(client, host, monkeypatch):
    monkeypatch.setattr("companion.printing.paper.system_paper", lambda: A4)
    form = {"corrections": "players", "picture_days": "30"}
    assert "/paper-a4.css" in client.get("/").text
    assert client.post("/house/rules", data={**form, "paper": "letter"}).status_code == 303
    assert "/paper-letter.css" in client.get("/").text
    assert '<option value="letter" selected>US Letter</option>' in client.get("/house").text
    refused = client.post("/house/rules", data={**form, "paper": "papyrus"})
    assert (refused.status_code, PAPER.of(host.journal)) == (400, "letter")
    assert "Choose one of the kinds of paper shown." in refused.text
    client.post("/house/rules", data=form)  # a form from before this setting changes nothing of it
    assert PAPER.of(host.journal) == "letter"
    client.post("/house/rules", data={**form, "paper": ""})
    assert "/paper-a4.css" in client.get("/").text
