"""Series of tournaments; and for each entrant the link that leads a phone to the own games."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "series"
down_revision = "staff_tickets"

LETTERS, LENGTH = "23456789abcdefghjkmnpqrstuvwxyz", 10


def upgrade() -> None:
    """Makes the table, adds to which series a tournament belongs, "" for none, and makes the links."""
    op.create_table(
        "series",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("title", sa.String(400), nullable=False),
        sa.Column("worth", sa.String(20), nullable=False),
        sa.Column("best", sa.Integer, nullable=False),
        sa.Column("made_us", sa.BigInteger, nullable=False),
        sa.Column("deleted_us", sa.BigInteger, nullable=False),
    )
    op.add_column("tournaments", sa.Column("series", sa.String(64), nullable=False, server_default=""))
    op.add_column("entrants", sa.Column("link", sa.String(20), nullable=False, server_default=""))
    op.create_index("entrants_link", "entrants", ["link"])
    entrants = sa.table("entrants", *map(sa.column, ("tournament", "entrant", "name", "link")))
    db = op.get_bind()
    for row in db.execute(sa.select(entrants.c.tournament, entrants.c.entrant).where(entrants.c.name != "")).all():
        here = (entrants.c.tournament == row.tournament) & (entrants.c.entrant == row.entrant)
        link = "".join(secrets.choice(LETTERS) for _number in range(LENGTH))
        db.execute(sa.update(entrants).where(here).values(link=link))
