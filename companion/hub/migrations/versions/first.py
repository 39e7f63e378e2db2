"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "codes",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("until_us", sa.BigInteger, nullable=False),
        sa.Column("used_by", sa.String(64), nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("public", sa.LargeBinary, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("enrolled_us", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "letters",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("session", sa.String(64), nullable=False),
        sa.Column("head", sa.String(64), nullable=False),
        sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("n", sa.BigInteger, nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("entries", sa.Integer, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("ranks", sa.Text, nullable=False),
        sa.Column("standing", sa.String(16), nullable=False),
        sa.Column("judged", sa.Boolean, nullable=False),
        sa.Column("received_us", sa.BigInteger, nullable=False),
        sa.Column("letter", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("session", "head"),
    )
    op.create_index("letters_of_table", "letters", ["table_id", "n"])
