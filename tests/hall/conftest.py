"""The hall's databases, and its staff."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.hub.staff_tickets import StaffRole
from tests.hall.databases import each_database, postgres_server  # noqa: F401  # fixtures


class OrganisersClient(FlaskClient):
    """An organiser's browser on the hub's own computer, which came in by the link that the hub printed.

    A request that comes from elsewhere, or shows a ticket of its own, is somebody else's.
    """

    token = None

    def open(self, *args, **named):
        hub, headers = self.application.extensions.get("hub"), dict(named.get("headers") or {})
        is_elsewhere = "environ_base" in named or {"Host", "X-Forwarded-For", "Authorization"} & headers.keys()
        if hub is not None and not is_elsewhere:
            self.token = self.token or staff_token(hub.record)
            named["headers"] = headers | {"Authorization": f"Bearer {self.token}"}
        return super().open(*args, **named)


def staff_token(record, role="organiser"):
    """The token of somebody of the staff."""
    return record.staff.enter(record.staff.link(StaffRole(role), "Olga"))


@pytest.fixture(autouse=True)
def organisers_client(monkeypatch):
    monkeypatch.setattr(Flask, "test_client_class", OrganisersClient)
