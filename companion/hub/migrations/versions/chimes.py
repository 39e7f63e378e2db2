"""What the staff have tables ring, the newest of each."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "chimes",
        sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("what", sa.String(64), nullable=False),
        sa.Column("given_us", sa.BigInteger, nullable=False),
    )
