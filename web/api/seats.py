"""Routes for people who come and go: rest, stand in, who plays here, an early end, another line-up, deletion."""

from flask import Response

from companion.access.tickets import TICKETS, Ticket
from companion.errors import BadInput, IllegalEvent, NotFound, StaleEvent
from companion.house import next_game
from companion.house.next_game import Seated
from companion.journal.devices import Role
from companion.table.table import Table
from companion.words import _
from web.access import deletion, gate, rights
from web.access.resting import asked as asked_to_rest
from web.api import requests, responses
from web.api.answers import given, origin, receipt
from web.api.operations import READ, SESSION, WRITE, Operations
from web.api.sessions import begun
from web.house import host

operations = Operations()

ENTRY = (*WRITE, 409, 422)
EVERYBODY, NOBODY = "everybody", "nobody"


@operations.post(
    SESSION + "/rest",
    "Let a player rest: the game no longer waits for that seat",
    gives=responses.Receipt,
    takes=requests.AtSeat,
    refusals=ENTRY,
)
def rest(session: str) -> Response:
    return entered(session, is_back=False)


@operations.post(
    SESSION + "/return",
    "A player who rested is back",
    gives=responses.Receipt,
    takes=requests.AtSeat,
    name="come_back",
    refusals=ENTRY,
)
def come_back(session: str) -> Response:
    return entered(session, is_back=True)


def entered(session: str, *, is_back: bool) -> Response:
    """Enters that the player of the body rests or is back."""
    table, asked = host().table(session), requests.body(requests.AtSeat)
    event = asked_to_rest(table, asked.player, is_back)
    return receipt(table.submit(event, origin(asked)))


@operations.post(
    SESSION + "/stand-in",
    "Let somebody play for a player, or the player play again",
    gives=responses.Receipt,
    takes=requests.StandIn,
    refusals=ENTRY,
)
def stand_in(session: str) -> Response:
    table, asked = host().table(session), requests.body(requests.StandIn)
    required_at_table(table, asked.player)
    rights.required_to_rename(table, asked.player)
    return receipt(table.stand_in(asked.player, asked.who.strip(), origin(asked)))


def required_at_table(table: Table, player: str) -> None:
    """Raises NotFound for somebody who is no player of the game."""
    if player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))


# who plays on this device


@operations.get(SESSION + "/who", "Whom this device plays for", gives=responses.Who, refusals=READ)
def who(session: str) -> Response:
    return given(who_is(host().table(session)))


@operations.post(
    SESSION + "/who",
    "Say whom this device plays for",
    gives=responses.Who,
    takes=requests.Choose,
    name="choose_who",
    refusals=(*WRITE, 409, 422),
)
def choose_who(session: str) -> Response:
    """The device gets a new ticket, as a cookie and for scripts in the answer."""
    table, asked = host().table(session), requests.body(requests.Choose)
    ticket, seats = gate.shown_ticket(), host().access.seats
    link = seats.link_of(ticket) if ticket else None
    if ticket is None or link is None or link.session not in (None, session):
        raise BadInput(_("This device can't choose a seat. Scan the player's code at the table."))
    if not rights.is_played(session):
        raise IllegalEvent(_("The game is over. Start a new one."))
    if asked.choice not in (EVERYBODY, NOBODY):
        required_at_table(table, asked.choice)
    player = asked.choice if asked.choice in table.session.players else None
    if player in seats.taken(session, ticket.id) and not asked.anyway:
        raise StaleEvent(_("Another device plays for this seat already. Choose another seat, or take it anyway."))
    role = Role.WATCHER if asked.choice == NOBODY else Role.PLAYER
    token = seats.choose(ticket, session, player, role)
    found = host().access.tickets.ticket(token)
    answer = given(who_is(table, found, token))
    gate.let_in(answer, token)
    host().live.publish(TICKETS)
    return answer


def who_is(table: Table, ticket: Ticket | None = None, token: str = "") -> responses.Who:
    """What a device is in a game.

    ticket, token   those that it has just got, if any
    """
    shown, seats = ticket or gate.shown_ticket(), host().access.seats
    return responses.Who(
        role=ticket.role if ticket else str(gate.role()),
        player=ticket.player if ticket else gate.only_player(),
        may_choose=shown is not None and seats.link_of(shown) is not None,
        taken=dict(seats.taken(table.session.id, shown.id if shown else "")),
        token=token,
    )


# the end of a game


@operations.post(
    SESSION + "/end",
    "End a game before its rules do: it counts in no season, and can go on later",
    gives=responses.Receipt,
    takes=requests.Stop,
    name="end_early",
    refusals=ENTRY,
)
def end_early(session: str) -> Response:
    table, asked = host().table(session), requests.body(requests.Stop)
    rights.required_to_end(table)
    return receipt(table.end_early(origin(asked)))


@operations.post(
    SESSION + "/go-on",
    "Let a game that was ended early go on",
    gives=responses.Receipt,
    takes=requests.Stop,
    name="go_on",
    refusals=ENTRY,
)
def go_on(session: str) -> Response:
    table, asked = host().table(session), requests.body(requests.Stop)
    rights.required_to_end(table)
    return receipt(table.go_on(origin(asked)))


@operations.post(
    SESSION + "/line-up",
    "End a game here and start it again with other players",
    gives=responses.SessionInfo,
    takes=requests.LineUp,
    name="line_up",
    status=201,
    refusals=ENTRY,
)
def line_up(session: str) -> tuple[Response, int]:
    """The game begins first: if these players cannot play it, nothing has changed."""
    table, asked = host().table(session), requests.body(requests.LineUp)
    rights.required_to_line_up(table)
    table.checked_seq(asked.seen_seq)
    rows = [Seated(one.name.strip(), one.player) for one in asked.players]
    following = next_game.with_others(host(), table, rows, asked.session_id, gate.device())
    if table.is_played:
        table.end_early(origin(asked))
    host().live.publish(TICKETS)
    return begun(following)


@operations.post(
    SESSION + "/delete",
    "Delete a game for good; only the host may",
    gives=responses.Done,
    takes=requests.Delete,
    name="delete_game",
    refusals=WRITE,
)
def delete_game(session: str) -> Response:
    """A repeated request answers alike; files that could not be changed are named."""
    if requests.body(requests.Delete).really != session:
        raise BadInput(_("To delete a game, repeat its id. Nothing was deleted."))
    deletion.delete(session)
    return given(responses.Done())
