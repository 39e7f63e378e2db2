"""Where the sheets are silent: each line of docs/readings.md has its test here, by the name in its last column."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import IllegalEvent
from companion.game.options import option_infos
from companion.game.players import Viewer
from companion.game.widgets import Choice, Headline, Notice
from companion.games.maxstax.events import Shouted, Started
from companion.games.pack_and_stack.events import Reward, RewardDrawn, RoundClosed, VoucherUsed
from companion.games.resting import Rested
from companion.games.sack_stackers.events import Placed as GiftPlaced
from companion.games.sack_stackers.events import Rolled
from companion.games.sack_stackers.groups import TYPES
from companion.games.samestax.rules import CreatorChosen
from companion.games.sandpile_panic.events import Placed
from companion.games.sandpile_panic.islands import Special
from companion.games.sandpile_panic.options import Opening
from companion.games.speedstax.rules import CardTurned
from companion.games.stack_dice.events import PlayedOutOfTurn, Stacked
from companion.games.stack_dice.state import sides
from companion.shelf import GAMES
from tests.games import test_pack_and_stack as pack
from tests.games import test_sack_stackers_pages as sack
from tests.games import test_sandpile_panic as sandpile
from tests.games import test_speedstax as speedstax
from tests.games import test_stack_dice as stack
from tests.games import test_swapstax as swapstax

PAGE = Path(__file__).parents[2] / "docs" / "readings.md"


def said(name, state, draft=None, player=None):
    """The sentences of a page's notices."""
    viewer = Viewer(player, {each: f"<{each}>" for each in state.players}, draft or {})
    return [widget.text for widget in GAMES[name].pages.view(state, viewer) if isinstance(widget, Notice)]


def helps(name):
    return {info.name: info.help for info in option_infos(GAMES[name].rules.options)}


def test_every_line_of_the_page_has_its_test_and_every_switch_is_one():
    rows = re.findall(
        r"^\| (?!question|---)[^|]+\|[^|]+\|[^|]+\| ([^|]+) \| `(\w+)` \|$", PAGE.read_text(), re.MULTILINE
    )
    here = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert len(rows) == 16
    assert {name for _switch, name in rows} <= here
    switches = {info.name for game in GAMES.values() for info in option_infos(game.rules.options)}
    assert {switch.strip("`") for switch, _name in rows} - {"–"} <= switches


def test_uneven_teams():  # ST-70, ST-71
    assert sides(stack.fresh("RBGVY", teams=3)) == (("R", "V"), ("B", "Y"), ("G",))
    assert "Teams can be uneven" in helps("stack_dice")["teams"]


def test_rebuilt():  # ST-51
    state = stack.table("6:R", "5:BG", "5:B", "5:G")
    assert any("Rebuilt means they stand as drawn" in text for text in said("stack_dice", state, {"report": "knocked"}))


def test_by_hand():  # ST-50: reading 11
    state = stack.table("6:R", "5:BG", "5:B", "5:G")
    assert any("Knocked over by hand" in text for text in said("stack_dice", state, {"report": "knocked"}))


def test_partners_last_die():  # ST-41, ST-72
    options = {"teams": 2, "team_stack_on_partner": True}
    state = stack.table("6:R", "6:G", "4:R", "5:B", "5:V", players="RBGV", options=options)
    after = stack.apply(state, Stacked("R", "R-1", "G-1"))  # Green has no other die.
    assert (after.out, after.last_turns) == ((), None)
    assert "Covering a partner's last die doesn't end the round" in helps("stack_dice")["team_stack_on_partner"]


def test_without_a_turn_left():  # ST-56
    state = stack.table("6:R", "5:B", "5:G", turn="R", last_turns=("R", "G"))
    (words,) = [text for text in said("stack_dice", state, {"report": "turn"}) if "turn left" in text]
    assert words == "<B> had no turn left this round. They lose the first turn of the next one."
    assert stack.apply(state, PlayedOutOfTurn("B")).skips == {"B": 1}
    assert not any(
        "turn left" in text for text in said("stack_dice", replace(state, last_turns=None), {"report": "turn"})
    )


VOUCHER_WORDS = "<B> has the voucher. Use it now, or save it for a later round."


def test_voucher_before_the_card():  # PS-64, reading 9
    state = pack.holding(pack.perfect(), Reward.VOUCHER)
    assert VOUCHER_WORDS in said("pack_and_stack", state)
    drawn = pack.apply(state, RewardDrawn("A", Reward.NEW_ORDER))
    pack.refused(drawn, VoucherUsed("B"), "Keep the voucher for the next round")
    assert VOUCHER_WORDS not in said("pack_and_stack", drawn)


def test_voucher_before_the_close():  # PS-64
    rest = ((1, 0, 0, 0, 2), (0, 0, 0, 0, 2), (2, 0, 0, 0, 2))
    state = pack.holding(pack.scored(*rest, reward_cards=True), Reward.VOUCHER)
    assert VOUCHER_WORDS in said("pack_and_stack", state)
    assert pack.apply(state, RoundClosed()).held == {Reward.VOUCHER: "B"}
    assert VOUCHER_WORDS not in said("pack_and_stack", pack.apply(state, VoucherUsed("B")))


def test_nobody_can_place():  # SP-15
    state = sandpile.play(sandpile.game(piece_supply=1), Placed("A", "r1c1"), Placed("B", "r3c3"))
    assert sandpile.is_over(state)
    words = "Nobody can place a piece any more: the game ends as it stands."
    assert words in said("sandpile_panic", state)


def test_pink_opening():  # SP-12, SP-51
    state = sandpile.game(opening=Opening.PIE, special_piece=Special.WILDCARD)
    refusal = "The first move uses a white piece. Pink comes later."
    with pytest.raises(IllegalEvent, match="The first move uses a white piece"):
        sandpile.apply(state, Placed("A", "r1c1", True))
    taps = [
        tap
        for widget in GAMES["sandpile_panic"].pages.view(state, Viewer(None, {}))
        if isinstance(widget, Choice)
        for tap in widget.taps
    ]
    assert [tap.refused for tap in taps if tap.label == "Hot pink"] == [refusal]


def test_wild_box():  # SS-15, reading 3
    state = sack.game((3, 5))
    for gift in TYPES:
        assert sack.apply(state, GiftPlaced("A", 1, 3, "?", gift, 5)).sheets["A"].sack[4] == gift
    draft = sack.tapped(state, "Section 3, wild")
    assert Headline("Choose the gift", "The wild box takes any type.") in [
        replace(widget, tone=Headline("").tone) for widget in sack.of(Headline, sack.page(state, draft))
    ]


def test_more_than_five_stars():  # MX-07, SWP-40
    state = swapstax.stacking({"A": 7, "B": 1})
    done = swapstax.play(state, *(swapstax.Shouted(player, swapstax.GO + 30 * swapstax.S) for player in "AB"))
    assert swapstax.score(done) == {"A": 7, "B": 1}
    for listed, most in (((1, 2, 3, 4, 5), 5), ((1, 2, 3, 4, 5, 6, 7), 7)):
        asked = swapstax.shuffled("A", "B", **swapstax.BOUGHT, star_points=listed)
        view = GAMES["swapstax"].pages.view(asked, Viewer(None, {}))
        events = [tap.event for each in view if isinstance(each, Choice) for tap in each.taps]
        offered = [event.stars for event in events if isinstance(event, swapstax.Drew)]
        assert max(offered) == most
    assert "more than five stars" in helps("swapstax")["star_points"]


def test_used_up_deck():  # MX-06
    state = speedstax.start(speedstax.Options(deck_subset=(1, 2, 3, 4, 5)), ("A", "B"))
    state = replace(state, used=(1, 2, 3, 4, 5))
    words = "Every card in play has been turned up. Shuffle them and go on."
    assert words in said("speedstax", state)
    again = speedstax.apply(state, CardTurned(3))
    assert again.used == (3,)
    assert words not in said("speedstax", again)


def rested(name, *events, first="C"):
    game = GAMES[name]
    state = game.rules.start(game.rules.options(), ("A", "B", "C"))
    for event in (*events, Rested(first)):
        state = game.rules.apply(state, event)
    return state


def test_rests_in_sack_stackers():  # SS-50
    state = rested("sack_stackers", Rolled((1, 4)), *(GiftPlaced(player, 1, 1, "I", "I", 4) for player in "AB"))
    assert (state.turn, state.dice, state.sheets["C"].boxes) == (2, None, frozenset())


def test_rests_in_a_race():  # MX-12, SWP-02
    assert GAMES["speedstax"].rules.awaiting(rested("speedstax")) == {"A", "B"}
    state = rested("swapstax", swapstax.ShufflerNamed("C"))
    assert GAMES["swapstax"].rules.awaiting(state) == {"A"}  # C, the Shuffler, draws no card


def test_rests_in_samestax():  # SAM-01, SAM-05
    assert GAMES["samestax"].rules.awaiting(rested("samestax", CreatorChosen("C"))) == {"C"}
    copying = (CreatorChosen("A"), Started(0), Shouted("A", speedstax.GO + 1))
    assert GAMES["samestax"].rules.awaiting(rested("samestax", *copying)) == {"B"}


@pytest.mark.parametrize("name", ["stack_dice", "sandpile_panic", "pack_and_stack"])
def test_rests_nowhere_else(name):  # ST-38, SP-15, PS-52
    assert GAMES[name].rules.why_no_rest
    with pytest.raises(IllegalEvent):
        rested(name)
