"""The words of the button that answers a question of the camera."""

from dataclasses import replace

from companion.game.readings import CardReading, Settled
from companion.game.seeing import Proposed
from companion.games.sack_stackers.events import Rolled
from companion.sensing.proposals import proposal_of
from web.render.questions import question


def test_a_button_says_what_it_enters(host, sack):
    look = Settled(CardReading(640, 480, 7, "Card 7", 0.9, True), 1, 2, b"", ())
    asked = proposal_of(sack.session.id, Proposed(Rolled((3, 5)), confirm=True), look, (), None, 0, 0, None)
    assert question(sack, asked)[1:] == ("Rolled 3 and 5.", "Rolled 3 and 5")
    assert question(sack, replace(asked, agree="It fell"))[1:] == ("Rolled 3 and 5.", "It fell")
