"""The rule that points come from: no page shows its id before somebody taps, and then in one sentence of our own."""

import html
import re

import pytest

from companion.game.readings import DiceReading, DieReading, Settled
from companion.games.rule_sentences import SENTENCES, sentence_of
from companion.words import speak
from tests.browser.furnished import LONGEST, played_so_far
from tests.games.test_rules_coverage import ID, RULES
from tests.played import FILES, read

BEHIND_A_TAP = re.compile(r'<details class="rule-behind">.*?</details>', re.DOTALL)
TAGS = re.compile(r"<[^>]+>")


@pytest.mark.parametrize("game", LONGEST)
@pytest.mark.parametrize("share", [0.0, 0.4, 0.8, 1.0])
def test_no_page_shows_a_rules_id_before_somebody_taps(client, host, game, share):
    table = played_so_far(host, LONGEST[game], share)
    for player in ("", *table.session.players):
        for page in ("", "/history", "/result", "/how"):
            text = client.get(f"/s/{table.session.id}{page}?player={player}").text
            assert not re.search(rf"\b{ID}\b", TAGS.sub(" ", BEHIND_A_TAP.sub(" ", text))), page


def test_a_question_and_a_remark_of_the_camera_show_no_rules_id_on_the_page(client, host):
    table = played_so_far(host, LONGEST["sack_stackers"], 0.0)
    die = DieReading(5, 50, 50, 40, 40, 0, "white", 0.6, False, ((5, 0.6), (6, 0.39)))
    for dice, words in (((die, die), "What do these 2 dice show?"), ((die,) * 3, "I see 3 dice")):
        host.looks.take(table, Settled(DiceReading(640, 480, dice), 1, 2, b"frame", (b"die",) * len(dice)))
        for page in ("", "?player=" + table.session.players[0]):
            text = html.unescape(client.get(f"/s/{table.session.id}{page}").text)
            assert words in text
            assert not re.search(rf"\b{ID}\b", TAGS.sub(" ", BEHIND_A_TAP.sub(" ", text)))


def test_every_rule_that_gives_points_has_its_sentence(host):
    named = set()
    for played in map(read, FILES):
        table = played_so_far(host, played, 1.0, [f"Player {seat}" for seat in range(1, len(played.players) + 1)])
        for player in table.session.players:
            named |= {rule for _text, _points, rule in table.game.rules.explain(table.state, player)}
    named = {rule for rule in named if re.fullmatch(ID, rule)}
    assert named
    assert not [rule for rule in named if not sentence_of(rule)]


def test_the_sentences_are_of_rules_and_in_every_language():
    assert set(SENTENCES) <= set(RULES)
    speak("de")
    assert not [rule for rule, english in SENTENCES.items() if sentence_of(rule) == english]
    speak("en")


def test_a_line_of_points_has_its_rule_behind_it(client, host):
    table = played_so_far(host, LONGEST["sack_stackers"], 1.0)
    page = client.get(f"/s/{table.session.id}/result").text
    assert re.search(r'<details class="rule-behind"><summary><span>\d+ groups?</span>', page)
    assert f'{sentence_of("SS-40")} <span class="rule">SS-40</span>' in page
