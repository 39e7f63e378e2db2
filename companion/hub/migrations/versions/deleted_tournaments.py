"""A deleted tournament is kept until it is brought back."""

import sqlalchemy as sa
from alembic import op

revision = "deleted_tournaments"
down_revision = "sessions"


def upgrade() -> None:
    """Adds when a tournament was deleted, 0 for those that were not."""
    column = sa.Column("deleted_us", sa.BigInteger, nullable=False, server_default="0")
    op.add_column("tournaments", column)
