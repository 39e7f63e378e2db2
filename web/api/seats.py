"""Routes for people who come and go: rest, stand in, who plays here, an early end, another line-up, deletion."""

from flask import Response

from companion.access.tickets import TICKETS, Ticket
from companion.errors import BadInput, IllegalEvent, NotFound, StaleEvent
from companion.house import next_game
from companion.house.next_game import Seated
from companion.journal.devices import Role
from companion.table.table import Table
from companion.words import _
from web.access import deletion, gate, resting, rights
from web.api import requests, responses
from web.api.answers import as_json, origin, receipt
from web.api.operations import READ, SESSION, WRITE, Operations
from web.api.sessions import begun
from web.house import host

operations = Operations()

EVERYBODY, NOBODY = "everybody", "nobody"


@operations.at_table("/rest", "Let a player rest: the game no longer waits for that seat", requests.AtSeat)
def rest(table: Table, body: requests.AtSeat) -> Response:
    return receipt(table.submit(resting.event_of(table, body.player, is_back=False), origin(body)))


@operations.at_table("/return", "A player who rested is back", requests.AtSeat)
def come_back(table: Table, body: requests.AtSeat) -> Response:
    return receipt(table.submit(resting.event_of(table, body.player, is_back=True), origin(body)))


@operations.at_table("/stand-in", "Let somebody play for a player, or the player play again", requests.StandIn)
def stand_in(table: Table, body: requests.StandIn) -> Response:
    required_at_table(table, body.player)
    rights.required_to_rename(table, body.player)
    return receipt(table.stand_in(body.player, body.who.strip(), origin(body)))


def required_at_table(table: Table, player: str) -> None:
    """Raises NotFound for somebody who is no player of the game."""
    if player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))


# who plays on this device


@operations.get(SESSION + "/who", "Whom this device plays for", gives=responses.Who, refusals=READ)
def who(session: str) -> Response:
    return as_json(who_is(host().table(session)))


@operations.at_table("/who", "Say whom this device plays for", requests.Choose, gives=responses.Who)
def choose_who(table: Table, body: requests.Choose) -> Response:
    """The device gets a new ticket, as a cookie and for scripts in the answer."""
    session, ticket, seats = table.session.id, gate.shown_ticket(), host().access.seats
    link = seats.link_of(ticket) if ticket else None
    if ticket is None or link is None or link.session not in (None, session):
        raise BadInput(_("This device can't choose a seat. Scan the player's code at the table."))
    if not rights.is_played(session):
        raise IllegalEvent(_("The game is over. Start a new one."))
    if body.choice not in (EVERYBODY, NOBODY):
        required_at_table(table, body.choice)
    player = body.choice if body.choice in table.session.players else None
    if player in seats.taken(session, ticket.id) and not body.anyway:
        raise StaleEvent(_("Another device plays for this seat already. Choose another seat, or take it anyway."))
    role = Role.WATCHER if body.choice == NOBODY else Role.PLAYER
    token = seats.choose(ticket, session, player, role)
    chosen = host().access.tickets.ticket(token)
    answer = as_json(who_is(table, chosen, token))
    gate.let_in(answer, token)
    host().live.publish(TICKETS)
    return answer


def who_is(table: Table, ticket: Ticket | None = None, token: str = "") -> responses.Who:
    """What a device is in a game.

    ticket, token   those that it has just got, if any
    """
    own, seats = ticket or gate.shown_ticket(), host().access.seats
    return responses.Who(
        role=ticket.role if ticket else str(gate.role()),
        player=ticket.player if ticket else gate.only_player(),
        may_choose=own is not None and seats.link_of(own) is not None,
        taken=dict(seats.taken(table.session.id, own.id if own else "")),
        token=token,
    )


# the end of a game


@operations.at_table(
    "/end", "End a game before its rules do: it counts in no season, and can go on later", requests.Stop
)
def end_early(table: Table, body: requests.Stop) -> Response:
    rights.required_to_end(table)
    return receipt(table.end_early(origin(body)))


@operations.at_table("/go-on", "Let a game that was ended early go on", requests.Stop)
def go_on(table: Table, body: requests.Stop) -> Response:
    rights.required_to_end(table)
    return receipt(table.go_on(origin(body)))


@operations.at_table(
    "/line-up",
    "End a game here and start it again with other players",
    requests.LineUp,
    gives=responses.SessionInfo,
    status=201,
)
def line_up(table: Table, body: requests.LineUp) -> tuple[Response, int]:
    """The game begins first: if these players cannot play it, nothing has changed."""
    rights.required_to_line_up(table)
    table.checked_seq(body.seen_seq)
    rows = [Seated(player.name.strip(), player.player) for player in body.players]
    following = next_game.with_others(host(), table, rows, body.session_id, gate.device())
    if table.is_played:
        table.end_early(origin(body))
    host().live.publish(TICKETS)
    return begun(following)


@operations.post(
    SESSION + "/delete",
    "Delete a game for good; only the host may",
    gives=responses.Done,
    takes=requests.Delete,
    refusals=WRITE,
)
def delete_game(session: str) -> Response:
    """A repeated request answers alike; files that could not be changed are named."""
    if requests.body(requests.Delete).really != session:
        raise BadInput(_("To delete a game, repeat its id. Nothing was deleted."))
    deletion.delete(session)
    return as_json(responses.Done())
