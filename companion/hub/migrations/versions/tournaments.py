"""Tournaments: the journal of each, and beside it the names of its entrants."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "tournaments",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("title", sa.String(400), nullable=False),
        sa.Column("begun_us", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "happened",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_table(
        "entrants",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("entrant", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(400), nullable=False),
    )
