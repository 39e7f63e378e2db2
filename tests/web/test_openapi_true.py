"""The OpenAPI document is true: schemathesis asks by it for everything, as the host, and judges every answer.

What it holds against the document: status, headers, content type and body of each answer, methods and bodies that must
be refused, bodies that must be taken, and that nothing ends in an error of the server.
"""

import copy
from dataclasses import replace

import hypothesis
import pytest
import schemathesis

from companion.clock import Clock
from companion.errors import BadInput
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.house.outside import Outside
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.store import Journal
from web.api.routes import described
from web.app import create_app

GUEST = "192.168.1.20"
EXAMPLES = hypothesis.settings.default.max_examples  # of each operation
FEW_EXAMPLES = EXAMPLES // 5  # of those whose body may be any event or switch of any game, which take long to make up
ANY_GAME = r"/api/sessions$|/(events|amend|import)$"
# No schema can say what a rulebook allows: a move that it refuses is answered as the document says it would be.
REFUSED_BY_RULES = ["2xx", "400", "403", "404", "409", "422"]

schema = schemathesis.openapi.from_dict(
    copy.deepcopy(described()),
    config=schemathesis.Config.from_dict(
        {"checks": {"positive_data_acceptance": {"expected-statuses": REFUSED_BY_RULES}}}
    ),
)


def refuse_photo(content, watching, at_us):
    """Bytes that schemathesis makes up are no photo, and a table with a reader says so."""
    raise BadInput("This is no photo.")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    journal = Journal(tmp_path_factory.mktemp("true") / "journal.sqlite3")
    outside = Outside.nothing(Clock.resume(journal.instant()))
    table = Host(journal, replace(outside, read_photo=refuse_photo))
    yield table
    table.close()


@pytest.fixture(scope="module")
def played(house):
    """A game with a roll: what is asked about is there."""
    table = house.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann"])
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table.session.id


@pytest.fixture(scope="module")
def app(house):
    """The pages and the API, as a device in the network sees them that must show its ticket."""
    found = create_app(house)
    inner = found.wsgi_app
    found.wsgi_app = lambda environ, begin: inner({**environ, "REMOTE_ADDR": GUEST}, begin)
    return found


@schema.exclude(path_regex=rf"/stream$|{ANY_GAME}").parametrize()  # a stream never ends: see test_stream.py
@hypothesis.settings(max_examples=EXAMPLES)
def test_every_answer_is_one_that_the_document_describes(case, app, house, played):
    ask(case, app, house, played)


@schema.include(path_regex=ANY_GAME).parametrize()
@hypothesis.settings(max_examples=FEW_EXAMPLES)
def test_every_answer_about_any_game_is_one_that_the_document_describes(case, app, house, played):
    ask(case, app, house, played)


def ask(case, app, house, played):
    """Asks as the host, mostly about the game that is there; fails when the answer is not as described."""
    if len(case.path_parameters.get("profile", "")) % 4:
        case.path_parameters["profile"] = house.people.everybody()[0].id
    if len(case.path_parameters.get("session", "")) % 4:
        case.path_parameters["session"] = played  # else nearly every answer would be "no such game"
    token = house.access.tickets.issue(Role.HOST)
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    case.call_and_validate(app=app, headers=headers)
