"""What the staff want corrected at tables."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "orders",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("session", sa.String(64), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("given_us", sa.BigInteger, nullable=False),
        sa.Column("answered_us", sa.BigInteger, nullable=False),
        sa.Column("said", sa.Text, nullable=False),
    )
    op.create_index("orders_of_table", "orders", ["table_id", "answered_us"])
