"""The log: one JSON object a line where a machine reads it, and nobody's name in it."""

import json
import logging

from companion.journal.devices import Role
from companion.logs import JsonLines, prepare


def test_a_record_is_one_line_of_json_with_its_traceback():
    try:
        raise ValueError("two\nlines")
    except ValueError as error:
        problem = (type(error), error, error.__traceback__)
    record = logging.LogRecord("web.app", logging.ERROR, "", 0, "%s failed", ("GET /s/1",), problem)
    line = JsonLines().format(record)
    assert "\n" not in line
    read = json.loads(line)
    assert (read["level"], read["logger"], read["message"]) == ("error", "web.app", "GET /s/1 failed")
    assert "two\nlines" in read["traceback"]


def test_a_failure_in_a_page_names_no_player(host, sack, monkeypatch, capsys):
    from web.app import create_app

    prepare(as_json=True)
    monkeypatch.setattr(type(sack.history), "lines", lambda _history: 1 / 0)
    answer = create_app(host).test_client().get(f"/s/{sack.session.id}/history")
    assert answer.status_code == 500
    written = capsys.readouterr().err
    assert "ZeroDivisionError" in written
    assert "Ann" not in written.replace("Annotated", "")
    assert "127.0.0.1" not in written
    logging.basicConfig(force=True)


def test_a_failure_while_a_device_comes_in_keeps_its_link_secret(host, monkeypatch, capsys):
    from web.app import create_app

    prepare()
    token = host.access.tickets.issue(Role.PLAYER)
    stranger = create_app(host).test_client()
    monkeypatch.setattr(type(host.access), "redeem", lambda *_: 1 / 0)
    answer = stranger.get(f"/join/{token}", environ_base={"REMOTE_ADDR": "192.168.1.20"})
    assert answer.status_code == 500
    written = capsys.readouterr().err
    assert "ZeroDivisionError" in written
    assert token not in written
    logging.basicConfig(force=True)
