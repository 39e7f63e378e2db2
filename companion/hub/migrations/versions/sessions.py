"""Which games tournaments gave to which tables; which tournaments are over; for a head one letter of each table."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from companion.foreign import read_json

revision = "sessions"
down_revision = "presence"

# SQLite keeps no name of a constraint that was given none.
NAMING = {"uq": "uq_%(table_name)s_%(column_0_name)s"}


def upgrade() -> None:
    """Makes the table, and fills it from the journals of the tournaments."""
    sessions = op.create_table(
        "sessions",
        sa.Column("session", sa.String(64), primary_key=True),
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("table_id", sa.String(64), nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
    )
    op.create_index("sessions_of_tournament", "sessions", ["tournament"])
    op.add_column("tournaments", sa.Column("is_ended", sa.Boolean, nullable=False, server_default=sa.false()))
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table("letters", naming_convention=NAMING) as letters:
            letters.drop_constraint("uq_letters_session", type_="unique")
            letters.create_unique_constraint("letters_once", ["session", "head", "table_id"])
    else:
        op.drop_constraint("letters_session_head_key", "letters")
        op.create_unique_constraint("letters_once", "letters", ["session", "head", "table_id"])
    op.create_index("letters_standing", "letters", ["standing"])
    happened = sa.table("happened", *map(sa.column, ("tournament", "seq", "content")))
    tournaments = sa.table("tournaments", sa.column("id"), sa.column("is_ended"))
    db = op.get_bind()
    for tournament in db.execute(sa.select(tournaments.c.id)).scalars().all():
        mine = sa.select(happened.c.content).where(happened.c.tournament == tournament).order_by(happened.c.seq)
        events = [read_json(content)["event"] for content in db.execute(mine).scalars()]
        if rows := sessions_of(events):
            db.execute(sa.insert(sessions), [{"tournament": tournament, **row} for row in rows.values()])
        if any(event["what"] == "ended" for event in events):
            db.execute(sa.update(tournaments).where(tournaments.c.id == tournament).values(is_ended=True))


def sessions_of(events: list[Any]) -> dict[str, dict[str, Any]]:
    """Session → its row, of each game that these events have given to a table."""
    rows, newest, round_ = {}, {}, 0

    def give(number: int, table: str, session: str, seats: list[str]) -> None:
        newest[number] = (table, seats)
        rows[session] = {
            "session": session,
            "round": round_,
            "number": number,
            "table_id": table,
            "seats": json.dumps(seats),
        }

    for event in events:
        match event["what"]:
            case "round paired":
                round_, newest = event["round"], {}
                for board in event["boards"]:
                    give(board["number"], board["table"], board["session"], board["seats"])
            case "called":
                give(event["number"], event["table"], event["session"], newest[event["number"]][1])
            case "swapped":
                other = {event["first"]: event["second"], event["second"]: event["first"]}
                for number, session in event["sessions"]:
                    table, seats = newest[number]
                    give(number, table, session, [other.get(entrant, entrant) for entrant in seats])
    return rows
