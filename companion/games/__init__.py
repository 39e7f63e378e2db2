"""The games this companion knows: one line each."""

from collections.abc import Mapping
from typing import Any

from companion.game.contract import AS_PRINTED, Game
from companion.games.maxstax import timer as maxstax_timer
from companion.games.pack_and_stack import interface as pack_interface
from companion.games.pack_and_stack import rules as pack_rules
from companion.games.sack_stackers import interface as sack_interface
from companion.games.sack_stackers import rules as sack_rules
from companion.games.samestax import interface as same_interface
from companion.games.samestax import rules as same_rules
from companion.games.sandpile_panic import interface as sand_interface
from companion.games.sandpile_panic import rules as sand_rules
from companion.games.speedstax import interface as speed_interface
from companion.games.speedstax import rules as speed_rules
from companion.games.stack_dice import interface as stack_interface
from companion.games.stack_dice import rules as stack_rules
from companion.games.swapstax import interface as swap_interface
from companion.games.swapstax import rules as swap_rules
from companion.words import N_


def title_of(name: str) -> str:
    """What a game is called; one that only another version knows, by its name."""
    game = GAMES.get(name)
    return game.title if game else name


def _game(rules: Any, interface: Any, **words: Any) -> Game:
    """A game from its two modules: each function of the contract under its own name."""
    parts = {
        "start": rules, "awaiting": rules, "legal": rules, "apply": rules, "score": rules, "explain": rules,
        "is_over": rules, "winners": rules, "describe": interface, "view": interface, "look": interface,
        "propose": interface, "bind": interface,
    }  # fmt: skip
    functions = {name: getattr(module, name) for name, module in parts.items()}
    optional = {
        "due": rules, "thrown": interface, "drafted": interface, "colours": interface, "charts": interface,
        "eyes": interface, "glanced": interface, "late": interface,
    }  # fmt: skip
    for name, module in optional.items():  # what only some games have
        if hasattr(module, name):
            functions[name] = getattr(module, name)
    presets = (AS_PRINTED, *getattr(interface, "PRESETS", ()))
    advice = getattr(interface, "ADVICE", ())
    return Game(options=rules.Options, events=rules.EVENTS, presets=presets, advice=advice, **functions, **words)


GAMES: Mapping[str, Game] = {
    game.name: game
    for game in (
        _game(
            sack_rules,
            sack_interface,
            name="sack_stackers",
            title="Sack Stackers",
            tagline=N_("Two dice for everybody, gifts fall into Santa's sack."),
            seats=(1, sack_rules.MOST_PLAYERS),
        ),
        _game(
            stack_rules,
            stack_interface,
            name="stack_dice",
            title="Stack",
            tagline=N_("Fourteen dice each: stack on your rivals' numbers, capture at four."),
            seats=(stack_rules.FEWEST_PLAYERS, stack_rules.MOST_PLAYERS),
        ),
        _game(
            sand_rules,
            sand_interface,
            name="sandpile_panic",
            title="Sandpile Panic",
            tagline=N_("Piles of five topple; own the largest island when sand leaves the board."),
            seats=(sand_rules.FEWEST_PLAYERS, sand_rules.MOST_PLAYERS),
        ),
        _game(
            pack_rules,
            pack_interface,
            name="pack_and_stack",
            title="Pack & Stack",
            tagline=N_("Roll a load, grab a truck, pack it without a gap."),
            seats=(pack_rules.FEWEST_PLAYERS, pack_rules.MOST_PLAYERS),
        ),
        _game(
            speed_rules,
            speed_interface,
            name="speedstax",
            title="SPEEDSTAX",
            tagline=N_("Copy the card with your blocks and slap your button first."),
            seats=(maxstax_timer.FEWEST_PLAYERS, maxstax_timer.MOST_PLAYERS),
            family=maxstax_timer.FAMILY,
        ),
        _game(
            same_rules,
            same_interface,
            name="samestax",
            title="SAMESTAX",
            tagline=N_("One creates a stack, the others have a minute to copy it."),
            seats=(maxstax_timer.FEWEST_PLAYERS, maxstax_timer.MOST_PLAYERS),
            family=maxstax_timer.FAMILY,
        ),
        _game(
            swap_rules,
            swap_interface,
            name="swapstax",
            title="SWAPSTAX",
            tagline=N_("Swap for the card you can build; its stars are your points."),
            seats=(maxstax_timer.FEWEST_PLAYERS, maxstax_timer.MOST_PLAYERS),
            family=maxstax_timer.FAMILY,
        ),
    )
}
