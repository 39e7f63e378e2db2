"""The hub's database, from each version to the next; alembic runs them."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(db: Connection, to: str = "head") -> None:
    """Brings the database up to a version, the newest one, as a part of the connection's transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = db
    command.upgrade(config, to)
