"""The hall's databases, and a browser for its pages."""

from tests.browser.conftest import browser  # noqa: F401  # a fixture
from tests.hall.databases import each_database, postgres_server  # noqa: F401  # fixtures
