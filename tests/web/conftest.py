"""A client that talks to the pages and the API of a house with an empty journal."""

from random import Random

import pytest
from flask.testing import FlaskClient

from companion.demo.table import DemoTable
from tests.parts import connect
from web.app import create_app


@pytest.fixture
def client(host) -> FlaskClient:
    return create_app(host).test_client()


@pytest.fixture
def demo_client(host) -> FlaskClient:
    """The same with the demo's table, which has no button box here."""
    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    return create_app(host).test_client()
