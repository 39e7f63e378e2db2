"""Stand-ins of a test for the cameras, the box, the demo's table and the functions of a game."""

from dataclasses import fields, replace


def connect(host, **parts):
    """Gives a house these parts, named as the fields of `Outside`."""
    host.outside = host.active.outside = replace(host.outside, **parts)


def altered(game, **functions):
    """The game with these functions in place of its own, whichever of its parts has them."""
    for name, function in functions.items():
        part = next(each.name for each in fields(game) if hasattr(getattr(game, each.name), name))
        game = replace(game, **{part: replace(getattr(game, part), **{name: function})})
    return game
