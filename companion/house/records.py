"""The record of one person of the house: every game they played, and the totals of the finished ones."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from companion.game.players import PlayerId
from companion.house.games_list import SessionSummary
from companion.house.host import Host
from companion.house.people import Profile
from companion.house.seasons import Best, Played, bests, counts, places
from companion.shelf import title_of


@dataclass(frozen=True)
class Seat:
    """One person's seat in one game: points as they are now, and the place; None where the game gives none."""

    played: Played
    title: str
    player: str
    birth_year: int | None
    points: int
    place: float | None
    others: tuple[str, ...]


@dataclass(frozen=True)
class Rival:
    """Another person of the house: the finished games with them, and in how many of these the person was ahead."""

    profile: Profile
    games: int
    ahead: int


@dataclass(frozen=True)
class Record:
    """A person's games, newest first, and the totals of the finished ones.

    streak, longest     games won in a row: the last ones, and the most there ever were
    rivals              those with most games first
    """

    seats: tuple[Seat, ...]
    finished: int
    won: int
    bests: tuple[Best, ...]
    streak: int
    longest: int
    rivals: tuple[Rival, ...]


def games_played(host: Host) -> Counter[str]:
    """Person → number of games they played in."""
    return Counter(profile.id for profile in host.people.seated().values())


def record_of(host: Host, profile: Profile) -> Record:
    """A person's record. A game played alone counts as a game, but never as won."""
    seats = seats_of(host, profile)
    own = {seat.player: profile.id for seat in seats}
    finished = [seat.played for seat in seats if seat.played.outcome.over]
    counted = [seat for seat in seats if counts(seat.played) and seat.player not in seat.played.outcome.stood_in]
    wins = [seat.player in seat.played.outcome.winners for seat in counted]  # newest first
    streaks = [len(list(run)) if is_won else 0 for is_won, run in groupby(wins)]
    return Record(
        tuple(seats),
        len(finished),
        sum(wins),
        tuple(bests(finished, own).get(profile.id, {}).values()),
        streaks[0] if streaks else 0,
        max(streaks, default=0),
        rivals(counted, host.people.seated()),
    )


def rivals(counted: Iterable[Seat], seated: Mapping[PlayerId, Profile]) -> tuple[Rival, ...]:
    """The people against whom somebody played these games; whoever did not play to the end is none.

    seated      player → person of the house
    """
    people: dict[str, Profile] = {}
    games, ahead = Counter[str](), Counter[str]()
    for seat in counted:
        outcome = seat.played.outcome
        place_of = places(outcome)
        for player in seat.played.players:
            rival = seated.get(player)
            if rival is None or player == seat.player or player in outcome.stood_in:
                continue
            people[rival.id] = rival
            games[rival.id] += 1
            ahead[rival.id] += place_of[seat.player] < place_of[player]
    return tuple(Rival(people[rival], count, ahead[rival]) for rival, count in games.most_common())


def keep_marks(host: Host, profile: Profile) -> None:
    """Before a person's mark changes: in games that are not over everybody keeps theirs."""
    running = {seat.played.session for seat in seats_of(host, profile) if not seat.played.outcome.over}
    for game in host.games_named(running):
        if isinstance(game, SessionSummary):
            host.people.keep_marks(dict(zip(game.session.players, game.marks, strict=True)))


def seats_of(host: Host, profile: Profile) -> list[Seat]:
    """A person's seats in all games, newest first."""
    own = set(host.people.seats(profile.id))
    seats = [(played, player) for played in host.outcomes.all() for player in played.players if player in own]
    everybody = tuple(player for played, _seat in seats for player in played.players)
    players = {player.id: player for player in host.journal.players(everybody)}
    return [
        Seat(
            played,
            title_of(played.game),
            player,
            players[player].birth_year if player in players else None,
            played.outcome.score.get(player, 0),
            places(played.outcome).get(player),
            tuple(players[other].name for other in played.players if other != player and other in players),
        )
        for played, player in seats
    ]
