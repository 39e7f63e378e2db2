"""`companion replay GAME.jsonl`: what an exported game ends in, and whether its hashes hold."""

from pathlib import Path

import click

from companion.app.as_json import echo_json
from companion.errors import BadInput, IllegalEvent
from companion.game.players import Viewer
from companion.journal import codec
from companion.journal.events import early_end
from companion.journal.export import read_game_file, replayed, steps_of
from companion.journal.files import no_file
from companion.journal.record import read_rows
from companion.shelf import GAMES


@click.command()
@click.argument("game", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def replay(game: Path, as_json: bool) -> None:
    """Plays an exported GAME again and checks its hash chain. Exit 1 when it was changed."""
    if not game.is_file():
        raise BadInput(f"{no_file(game)}: name a game that this program exported.")
    try:
        game_file = read_game_file(game.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{game} cannot be read as a game: choose a file that this program exported.") from error
    kind = GAMES[game_file.session.game]
    rules = kind.rules
    try:
        state = replayed(game_file, steps_of(game_file))
    except IllegalEvent as why:
        raise BadInput(f"{game} cannot be played again: {why}") from why
    stopped = not rules.is_over(state) and early_end(read_rows(kind, game_file.rows)) is not None
    viewer = Viewer(None, game_file.names)
    score, winners = rules.score(state), rules.winners(state)
    chain = "holds" if game_file.broken_at is None else f"is broken at entry {game_file.broken_at}"
    if as_json:
        result = {
            "game": rules.name,
            "session": game_file.session.id,
            "entries": len(game_file.rows),
            "over": rules.is_over(state),
            **({"ended_early": True} if stopped else {}),
            "score": dict(score),
            "names": dict(game_file.names),
            "winners": list(winners),
            "hash_chain": {"ok": game_file.broken_at is None, "broken_at": game_file.broken_at},
            "state": codec.state_to_json(state),
        }
        echo_json(result)
    else:
        standing = "over" if rules.is_over(state) else "ended early" if stopped else "not over yet"
        click.echo(f"{kind.pages.title}, {len(game_file.rows)} entries, {standing}.")
        for player in game_file.session.players:
            crown = "  winner" if player in winners else ""
            click.echo(f"  {viewer.name(player):<20} {score[player]:>5}{crown}")
        click.echo(f"The hash chain {chain}.")
    if game_file.broken_at is not None:
        raise BadInput(f"{game} was changed after it was played: entry {game_file.broken_at} does not fit its hash.")
