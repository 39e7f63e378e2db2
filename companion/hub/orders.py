"""What the staff of a hall want corrected at a table: it is entered there, by the table, and never in the hub's copy.

An order waits until its table has answered it. Its reason is then deleted here: it belongs to the table's game.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from companion.errors import BadInput, NotFound
from companion.foreign import read_json
from companion.hub.database import LETTERS, ORDERS, Database, Standing
from companion.journal.session import new_id
from companion.letters.offer import LONGEST_REASON, MOST_ORDERS, MOST_POINTS, Order
from companion.words import _


@dataclass(frozen=True)
class GivenOrder:
    """An order as the staff see it.

    is_answered     whether the table has entered it, or refused it
    refusal         why the table refused it, "" if it did not
    """

    order: Order
    is_answered: bool
    refusal: str


class Orders:
    """The orders in one hub's database. Thread-safe."""

    def __init__(self, database: Database, now_us: Callable[[], int]) -> None:
        self._database, self._now_us = database, now_us

    def give(self, table: str, session: str, player: str, points: int, why: str) -> Order:
        """Has a table enter a ruling into a game that it sent; raises BadInput or NotFound."""
        why = why.strip()
        if not -MOST_POINTS <= points <= MOST_POINTS:
            raise BadInput(
                _("A ruling gives or takes {most_points} points at most. Choose fewer.", most_points=MOST_POINTS)
            )
        if not 1 <= len(why) <= LONGEST_REASON:
            raise BadInput(
                _(
                    "A ruling needs a reason of 1 to {longest_reason} characters. Type one.",
                    longest_reason=LONGEST_REASON,
                )
            )
        played = sa.select(LETTERS.c.players).where(
            LETTERS.c.session == session, LETTERS.c.table_id == table, LETTERS.c.standing == Standing.COUNTS.value
        )
        with self._database.changing() as db:
            players = db.execute(played).scalar()
            if players is None:
                raise NotFound(_("There's no such game here. Choose one from the list."))
            if player not in read_json(players):
                raise BadInput(_("A ruling is about somebody at this table. Choose a player."))
            if len(db.execute(waiting_at(table)).all()) >= MOST_ORDERS:
                raise BadInput(_("Many corrections wait for this table already. Look whether it is on."))
            order = Order(id=new_id(), session=session, player=player, points=points, why=why)
            values = {"id": order.id, "table_id": table, "session": session, "player": player, "points": points}
            more = {"why": why, "given_us": self._now_us(), "answered_us": 0, "said": ""}
            db.execute(sa.insert(ORDERS).values(values | more))
        return order

    def waiting(self, table: str) -> tuple[Order, ...]:
        """The orders that a table has not answered yet, the oldest first."""
        with self._database.reading() as db:
            return tuple(order_of(row) for row in db.execute(waiting_at(table)))

    def of_table(self, table: str) -> dict[str, list[GivenOrder]]:
        """Session → its orders, the newest first."""
        query = sa.select(ORDERS).where(ORDERS.c.table_id == table).order_by(ORDERS.c.given_us.desc(), ORDERS.c.id)
        orders: dict[str, list[GivenOrder]] = {}
        with self._database.reading() as db:
            for row in db.execute(query):
                orders.setdefault(row.session, []).append(GivenOrder(order_of(row), row.answered_us > 0, row.said))
        return orders

    def answer(self, table: str, order: str, refusal: str) -> None:
        """The table has entered an order, or refused it; a second answer changes nothing. Raises NotFound."""
        here = (ORDERS.c.id == order) & (ORDERS.c.table_id == table)
        with self._database.changing() as db:
            answered_us = db.execute(sa.select(ORDERS.c.answered_us).where(here)).scalar()
            if answered_us is None:
                raise NotFound(_("There's no such correction here. Look again."))
            if not answered_us:
                values = {"answered_us": self._now_us(), "said": refusal, "why": ""}
                db.execute(sa.update(ORDERS).where(here).values(values))


def waiting_at(table: str) -> sa.Select[Any]:
    """The orders that a table has not answered."""
    waits = (ORDERS.c.table_id == table) & (ORDERS.c.answered_us == 0)
    return sa.select(ORDERS).where(waits).order_by(ORDERS.c.given_us, ORDERS.c.id)


def order_of(row: Any) -> Order:
    """An order from its row."""
    return Order(id=row.id, session=row.session, player=row.player, points=row.points, why=row.why)
