"""Points below zero are written with a true minus sign wherever people read them, and with a hyphen for programs."""

import html
import re

import pytest

from companion.games.rulings import Ruling
from companion.journal.events import Origin
from companion.shelf import GAMES

LOST = -1234  # with the mark between thousands, which differs by language
WRITTEN = {"en": "−1,234", "de": "−1.234"}
READ_ALOUD = re.compile(r'(?:aria-label|alt|title|placeholder|data-announce)="([^"]*)"')


@pytest.fixture(params=sorted({*GAMES} - {"turn_clock"}))  # TC-61: it has no points to lose.
def indebted(host, request):
    """A game of each kind in which the first player has lost more than anybody could win."""
    table = host.create(request.param, ["Ann", "Bob", "Cid"], {})
    ann = table.session.players[0]
    host.active.hold(table.session.id)
    for number, points in enumerate((-1000, -1000, LOST + 2000 - table.game.rules.score(table.state)[ann])):
        ruling = Ruling(ann, points, "It rained on the dice")
        table.submit(ruling, Origin(f"ruling-{number}"))
    assert table.game.rules.score(table.state)[ann] == LOST
    return table


def read(page: str) -> str:
    """What people see of a page, and what is read aloud to them."""
    page = re.sub(r"<(script|style|title)\b.*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(" ".join([re.sub(r"<[^>]*>", " ", page), *READ_ALOUD.findall(page)]))


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_people_read(client, indebted, language):
    session = indebted.session.id
    score = ("/", f"/s/{session}", f"/s/{session}/result", f"/s/{session}/result.svg", "/board", "/overlay")
    others = (f"/s/{session}/history", f"/s/{session}/referee", f"/s/{session}/correct/3", f"/s/{session}/dice")
    headers = {"Accept-Language": language}
    for address in (*score, *others):
        answer = client.get(address, headers=headers)
        assert answer.status_code == 200, address
        text = read(answer.text)
        assert not re.search(r"(?<![\w./:-])-\d", text), (address, text)
        if address in score:
            assert WRITTEN[language] in text, (address, text)
    history = read(client.get(f"/s/{session}/history", headers=headers).text)
    assert "Ann, −1000" in history
    preview = client.post(f"/s/{session}/preview/3", json={}, headers=headers)
    assert WRITTEN[language] in read(preview.text)


def test_what_programs_read(client, indebted):
    session = indebted.session.id
    ann = indebted.session.players[0]
    assert client.get(f"/api/sessions/{session}").json["score"][ann] == LOST
    assert ",-1234," in client.get(f"/s/{session}/result.csv").text
    assert '"points":-1000' in client.get(f"/api/sessions/{session}/export").text
