"""When each table was heard last, and what it said then."""

import sqlalchemy as sa
from alembic import op

revision = "presence"
down_revision = "0009"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "presence",
        sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("heard_us", sa.BigInteger, nullable=False),
        sa.Column("said_us", sa.BigInteger, nullable=False),
        sa.Column("ahead_us", sa.BigInteger, nullable=False),
        sa.Column("playing", sa.String(64), nullable=False),
        sa.Column("is_over", sa.Boolean, nullable=False),
        sa.Column("has_left", sa.Boolean, nullable=False),
    )
