"""Who was who in the games of a table, and when each game began."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Makes the tables; a game that was received before this counts as begun when it was received."""
    op.create_table(
        "people",
        sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("person", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("at_us", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("person", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["table_id", "person"], ["people.table_id", "people.person"]),
    )
    op.create_index("seats_of_person", "seats", ["table_id", "person"])
    op.add_column("letters", sa.Column("created_us", sa.BigInteger, nullable=False, server_default="0"))
    op.execute("UPDATE letters SET created_us = received_us")
    op.create_index("letters_that_count", "letters", ["standing", "game", "created_us"])
