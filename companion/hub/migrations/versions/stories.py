"""Which letter of the same key a letter contradicts, whether the staff know, and the digest of a letter that came
again; how far tables have asked; in which boot a code was made."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Adds the columns; letters from before are only compared with those that come."""
    op.add_column("letters", sa.Column("contradicts", sa.Integer, nullable=False, server_default="0"))
    op.add_column("letters", sa.Column("settled", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("letters", sa.Column("again", sa.String(64), nullable=False, server_default=""))
    op.add_column("tables", sa.Column("asked", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("codes", sa.Column("boot", sa.String(64), nullable=False, server_default=""))
    op.add_column("codes", sa.Column("uptime_us", sa.BigInteger, nullable=False, server_default="0"))
