"""The hall's databases."""

from tests.hall.databases import each_database, postgres_server  # noqa: F401  # fixtures
