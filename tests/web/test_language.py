"""A page speaks the language chosen on the device, else the browser's, else the house's."""

import pytest

from companion import words
from companion.errors import IllegalEvent
from companion.games.sack_stackers.rules import Rolled
from web.language import HOUSE

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
        host.journal.set_setting(HOUSE, house)
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
    assert refused.json == {"error": "Ein Würfel zeigt 1 bis 6: Gebt ein, was die beiden Würfel zeigen."}
    again = client.post(f"/api/sessions/{sack.session.id}/events", json=body)
    assert again.json == {"error": "A die shows 1 to 6: enter what the two dice show."}


def test_routes_that_lead_nowhere_refuse_in_it_too(client):
    assert client.get("/api/lost", headers=GERMAN).json["error"].startswith("Unter dieser Adresse ist nichts")


def test_the_history_is_told_to_each_in_the_own_language(client, sack):
    sack.submit(Rolled((3, 5)), event_id="one", seen_seq=None, source="tablet")
    address = f"/s/{sack.session.id}/history"
    assert "Both dice were rolled: 3 and 5." in client.get(address).text
    german = client.get(address, headers=GERMAN).text
    assert "Beide Würfel wurden geworfen: 3 und 5." in german
    assert "1 Eintrag, neueste zuerst" in german
    assert "Both dice were rolled: 3 and 5." in client.get(address).text


def test_remarks_and_statuses_made_by_threads_are_told_when_shown(client, host, sack):
    host.set_status("camera", "down", words._("The camera gives no picture any more."))
    page = f"/s/{sack.session.id}"
    assert "The camera gives no picture any more." in client.get(page).text
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
            sack.submit(Rolled((9, 9)), event_id="one", seen_seq=None, source="tablet")
    words.speak("en")


def test_the_house_chooses(client, host):
    form = {"corrections": "players", "picture_days": "30", "language": "de"}
    assert client.post("/house/rules", data=form).status_code == 303
    assert spoken(client, headers=FRENCH) == "de"
    assert client.post("/house/rules", data={**form, "language": "xx"}).status_code == 400
    assert spoken(client, headers=FRENCH) == "de"
