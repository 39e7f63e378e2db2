"""What games look like, and what the hub thinks of the clock by which a letter is dated."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Adds the columns; letters from before have no fingerprint, and bound no later date."""
    for name in ("fingerprint", "looks_like"):
        op.add_column("letters", sa.Column(name, sa.String(64), nullable=False, server_default=""))
    op.add_column("letters", sa.Column("made_us", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("letters", sa.Column("clock", sa.String(16), nullable=False, server_default=""))
    op.create_index("letters_alike", "letters", ["fingerprint"])
