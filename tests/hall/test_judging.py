"""A hub plays a game again before it believes the ranking; the winners were worked out by hand in the playthroughs."""

import msgspec
import pytest

from companion.errors import BadInput
from companion.hub.judging import can_judge, judge
from companion.letters.envelope import make_envelope, open_letter, seal
from tests.hall.letters import FINISHED, KEY, NOON_US, QUICK, chain_of, public_of, ranks_of, struck


def letter_of(chain, ranks):
    envelope = make_envelope(KEY, chain, None, ranks, {}, NOON_US, wall_sure=True)
    return open_letter(seal(KEY, envelope, chain), public_of)


@pytest.mark.parametrize("path", FINISHED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_game_as_the_rulebook_plays_it_is_accepted(path):
    chain = chain_of(path)
    letter = letter_of(chain, ranks_of(chain, path))
    assert can_judge(letter)
    judge(letter)


def test_the_loser_cannot_claim_to_have_won():
    chain = chain_of(QUICK)
    ranks = ranks_of(chain, QUICK)
    assert len(ranks) > 1
    with pytest.raises(BadInput, match="ranking isn't"):
        judge(letter_of(chain, ranks[::-1]))


def test_players_placed_alike_come_in_any_order():
    path = next(path for path in FINISHED if len(ranks_of(chain_of(path), path)[0]) > 1)
    chain = chain_of(path)
    judge(letter_of(chain, tuple(group[::-1] for group in ranks_of(chain, path))))


def test_a_game_that_goes_on_has_no_ranking():
    chain = chain_of(QUICK, cut=-1)
    judge(letter_of(chain, ()))
    with pytest.raises(BadInput, match="ranking isn't"):
        judge(letter_of(chain, ranks_of(chain, QUICK)))


def test_an_entry_against_the_rules_is_named():
    """The first entry twice: what it did cannot be done again."""
    chain = chain_of(QUICK)
    again = [row.content.replace('"e1"', '"again"').replace('"seq":1', '"seq":2') for row in chain.rows[:1]]
    twice = chain_of(QUICK, cut=1, more=again)
    with pytest.raises(BadInput, match="Entry 2 of the game is against the rules"):
        judge(letter_of(twice, ()))


def test_an_entry_that_changes_one_that_is_not_there_is_named():
    chain = chain_of(QUICK, cut=1, more=[struck(2, 9)])
    with pytest.raises(BadInput, match="Entry 2 of the game changes one that isn't there"):
        judge(letter_of(chain, ()))


@pytest.mark.parametrize("rules", ["", "ab" * 32])
def test_a_game_of_other_rules_is_not_judged_by_these(rules):
    assert not can_judge(letter_of(chain_of(QUICK, rules=rules), ()))


def test_a_game_that_this_program_does_not_have_is_not_judged():
    letter = letter_of(chain_of(QUICK), ())
    unknown = msgspec.structs.replace(letter.chain.stored, game="chess")
    object.__setattr__(letter.chain, "stored", unknown)
    assert not can_judge(letter)
