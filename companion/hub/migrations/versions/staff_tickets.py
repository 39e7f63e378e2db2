"""Staff come in by tickets, on any device."""

import sqlalchemy as sa
from alembic import op

revision = "staff_tickets"
down_revision = "deleted_tournaments"


def upgrade() -> None:
    """Makes the table; `id` is the digest of a ticket's token."""
    op.create_table(
        "staff_tickets",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("made_us", sa.BigInteger, nullable=False),
        sa.Column("until_us", sa.BigInteger, nullable=False),
        sa.Column("is_link", sa.Integer, nullable=False),
    )
