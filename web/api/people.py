"""Routes of the people of the house and their games."""

from typing import Any

from flask import Response

from companion.house.people import Profile
from companion.house.records import games_played, record_of, seats_of
from web.api import responses
from web.api.answers import as_json
from web.api.operations import PERSON, READ, Operations
from web.house import host

operations = Operations()


@operations.get(
    "/api/people",
    "The people of the house, by name",
    gives=list[responses.PersonInfo],
    name="people",
    refusals=(403, 503),
)
def everybody() -> Response:
    """The people of the house by name. Players who are not remembered are never listed."""
    played = games_played(host())
    return as_json(
        [responses.PersonInfo(**person_fields(person, played[person.id])) for person in host().people.everybody()]
    )


@operations.get(PERSON, "Somebody, with personal bests", gives=responses.PersonRecord, refusals=READ)
def person(profile: str) -> Response:
    person = host().people.profile(profile)
    record = record_of(host(), person)
    return as_json(
        responses.PersonRecord(
            **person_fields(person, len(record.seats)),
            finished=record.finished,
            won=record.won,
            bests=[responses.BestInfo(best.game, best.points, best.session) for best in record.bests],
        )
    )


@operations.get(PERSON + "/games", "Their games, newest first", gives=list[responses.PersonGame], refusals=READ)
def person_games(profile: str) -> Response:
    return as_json(
        [
            responses.PersonGame(
                session=seat.played.session,
                game=seat.played.game,
                title=seat.title,
                player=seat.player,
                created_wall_us=seat.played.created_wall_us,
                over=seat.played.outcome.over,
                won=seat.player in seat.played.outcome.winners,
                points=seat.points,
                place=seat.place,
                others=list(seat.others),
                unreadable=seat.played.unreadable,
            )
            for seat in seats_of(host(), host().people.profile(profile))
        ]
    )


def person_fields(profile: Profile, games: int) -> dict[str, Any]:
    return {
        "id": profile.id,
        "name": profile.name,
        "symbol": profile.symbol,
        "colour": profile.colour,
        "games": games,
    }
