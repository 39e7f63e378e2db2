"""A disk that dies under the table: every page is one sentence that says what to do, and needs no file itself."""

import errno
import os
import re
import sqlite3
from pathlib import Path

import pytest
from jinja2 import TemplateNotFound

from companion.errors import JournalUnusable
from companion.journal.files import when_read
from companion.words import ENGLISH, speak
from web.app import create_app

PAGES = ("/", "/house", "/new", "/people", "/history-of-nobody")
FAILED = "The journal cannot be read: the disk failed."
NETWORK = {"REMOTE_ADDR": "192.168.1.20"}


@pytest.fixture
def dead_journal(host, monkeypatch):
    """Nothing of the journal can be read: neither settings, nor tickets, nor games."""

    def refuse(*_values):
        raise JournalUnusable(FAILED)

    for name in ("select", "setting"):
        monkeypatch.setattr(host.journal, name, refuse)


@pytest.fixture(
    params=[OSError(errno.EIO, os.strerror(errno.EIO)), TemplateNotFound("error.html")], ids=["EIO", "gone"]
)
def dead_program(client, request, monkeypatch):
    """No template can be read, as where the program's own disk has died."""

    def refuse(*_values):
        raise request.param

    monkeypatch.setattr(client.application.jinja_env, "get_or_select_template", refuse)


def bare(answer):
    """The heading of a page that asks for no other file."""
    assert not re.findall(r"\b(?:src|rel|style)=", answer.text)
    assert 'href="/"' in answer.text
    return re.search("<h1>(.*?)</h1>", answer.text)[1]


@pytest.mark.parametrize("path", PAGES)
def test_a_journal_that_cannot_be_read_is_one_sentence_on_every_page(host, dead_journal, path):
    answer = create_app(host).test_client().get(path)
    assert (answer.status_code, bare(answer)) == (503, FAILED)


def test_a_device_in_the_network_reads_it_too(host, dead_journal):
    answer = create_app(host).test_client().get("/", environ_base=NETWORK, headers={"Cookie": "ticket=x.y"})
    assert (answer.status_code, bare(answer)) == (503, FAILED)


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "The table can&#39;t read a file that it needs"), ("de", "kann eine Datei nicht lesen")],
)
def test_a_program_whose_files_cannot_be_read_says_what_to_do(client, dead_program, language, says):
    for path in ("/", "/house"):
        answer = client.get(path, headers={"Accept-Language": language})
        assert answer.status_code == 503
        assert says in bare(answer)
        assert f'<html lang="{language}">' in answer.text


def test_a_refusal_keeps_its_own_sentence_where_its_page_cannot_be_read(client, dead_program):
    answer = client.get("/nothing/here")
    assert answer.status_code == 404
    assert "nothing at this address" in bare(answer)


def test_a_failure_that_is_not_the_disks_stays_one(client, host, monkeypatch):
    def reset(*_values):
        raise ConnectionResetError(errno.ECONNRESET, "reset")

    monkeypatch.setattr(host, "sessions", reset)
    assert client.get("/house").status_code == 500


def test_a_file_that_the_kernel_does_not_read_is_not_called_damaged(tmp_path):
    """SQLite calls both "malformed"; the kernel gives EIO for the first byte of this file."""
    speak(ENGLISH)
    malformed = sqlite3.DatabaseError("database disk image is malformed")
    malformed.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    said = when_read(malformed, Path("/proc/self/mem"))
    assert "the disk failed (Input/output error)" in said
    assert "restore" not in said
    whole = tmp_path / "journal.sqlite3"
    whole.write_bytes(b"readable")
    assert "restore a backup" in when_read(malformed, whole)
