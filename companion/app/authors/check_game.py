"""`companion check-game NAME`: a game is played at random, and what is wrong with it is said."""

import sys

import click

from companion.app.authors.trial import Trial, lines
from companion.errors import BadInput
from companion.shelf import GAMES, REFUSED


@click.command("check-game")
@click.argument("name")
@click.option("--games", default=1000, show_default=True, type=click.IntRange(1, 100_000), help="How many are played.")
@click.option("--seed", default=1, show_default=True, help="Of the random player, who does anything that is legal.")
@click.pass_context
def check_game(context: click.Context, name: str, games: int, seed: int) -> None:
    """Plays a game at random and says what is wrong with it, in a sentence each. Exit 1 if something is.

    The first game has the options of a new game; the others try each preset and the values of each option, in turn and
    together. A value that needs others is tried in each preset and beside each value of another option.
    NAME is that of its entry point. Its package has to be installed where companion is: docs/games.md says how.
    """
    if why := next((why for _package, entry, why in REFUSED if entry == name), ""):
        raise BadInput(f"{name} can't be played. {why}")
    if name not in GAMES:
        raise BadInput(f"There is no game {name}: install its package, or name one of {', '.join(GAMES)}.")
    trial = Trial(GAMES[name], seed)
    with click.progressbar(range(games), label=f"Playing {games:,} games", file=sys.stderr) as numbers:
        for number in numbers:
            trial.play(number)
    trial.draw()
    for line in lines(trial):
        click.echo(line)
    verdict = "" if trial.faults else "Nothing is wrong. "
    left = f", {trial.left:,} of them not to their end" if trial.left else ""
    title = GAMES[name].pages.title
    click.echo(f"{verdict}Played: {games:,} games of {title}{left}, with {trial.events:,} events, by seed {seed}.")
    if trial.faults:
        context.exit(1)
