"""A finished game as a link for BG Stats, an app in which people keep the games they played.

Whoever taps it opens the app's own page with the game in the link's query. Until then nothing leaves the house.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from companion.game.parts.derived import nothing
from companion.game.players import PlayerId
from companion.table.table import Table
from companion.words import _
from web.render.finish import standings

ADDRESS = "https://app.bgstatsapp.com/createPlay.html?data="
SOURCE = "Table companion"
MINUTE_US = 60_000_000


def link(table: Table) -> str:
    """The link for a game that is over."""
    return ADDRESS + quote(json.dumps(play(table), separators=(",", ":"), ensure_ascii=False), safe="")


def play(table: Table) -> Mapping[str, Any]:
    """The game in the app's own words. What nobody knows is left out."""
    game, session = table.game, table.session
    score, winners, rank, first = (
        game.rules.score(table.state),
        game.rules.winners(table.state),
        ranks(table),
        starter(table),
    )
    has_points = not rank.keys() < set(session.players)  # Else the sheet names just a winner: no points decide.
    minutes = minutes_played(table)
    board = next((_(preset.label) for preset in game.pages.presets if preset.name == session.preset), "")
    players = [
        {
            "sourcePlayerId": player,
            "name": table.names.get(player, _("somebody")),
            "winner": player in winners,
            **({"startPlayer": player == first} if first else {}),
            **({"score": score[player]} if has_points else {}),
            **({"rank": rank[player]} if player in rank else {}),
        }
        for player in session.players
    ]
    return {
        "sourceName": SOURCE,
        "sourcePlayId": session.id,
        "playDate": datetime.fromtimestamp(session.created_wall_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S"),
        **({"durationMin": minutes} if minutes else {}),
        **({"board": board} if board else {}),
        "game": {
            "name": game.pages.title,
            "sourceGameId": game.rules.name,
            "highestWins": True,
            "noPoints": not has_points,
        },
        "players": players,
    }


def ranks(table: Table) -> dict[PlayerId, int]:
    """Player → place; partners have their team's."""
    final = standings(table)
    lines = [(place, line) for place, step in final.steps for line in step] if final else []
    return {player: place for place, line in lines for player in line.members or (line.player,)}


def starter(table: Table) -> PlayerId | None:
    """The player with the first turn of the game, None where all begin at once."""
    if table.game.rules.begins is nothing:
        return None
    counted = (line.seq for line in reversed(table.history.lines()) if line.event is not None)
    return next(filter(None, (table.game.rules.begins(table.state_before(seq)) for seq in counted)), None)


def minutes_played(table: Table) -> int | None:
    """From the first entry to the last; None where the clock could not be believed."""
    lines = table.history.lines()
    if not lines or not all(line.wall_sure for line in lines):
        return None
    return max(1, round((lines[0].wall_us - lines[-1].wall_us) / MINUTE_US))
