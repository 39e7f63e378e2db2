"""Since when a table's key counts no more."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Adds the moment; 0 for a key that counts."""
    op.add_column("tables", sa.Column("revoked_us", sa.BigInteger, nullable=False, server_default="0"))
