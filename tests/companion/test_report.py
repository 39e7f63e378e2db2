"""`companion report` tells whoever mends a fault what they need to know, and nobody's name."""

import pytest
from click.testing import CliRunner

from companion.app.cli import report as module
from companion.app.cli.report import report
from companion.errors import BadInput


@pytest.fixture
def run(tmp_path, monkeypatch):
    """(options, what is answered) → the result, and the report's file; doctor is not run."""
    monkeypatch.setattr(module, "doctor_lines", lambda data: ["companion doctor", "  red    pins      Ann's button"])

    def command(*options, answer=None):
        file = tmp_path / "report.txt"
        words = ["--data", str(tmp_path), "-o", str(file), *options]
        return CliRunner().invoke(report, words, input=answer), file

    return command


def test_names_tickets_and_passwords_are_left_out_and_all_else_is_told(run, host, sack, tmp_path):
    ticket = host.access.tickets.token(host.access.tickets.all()[0]) if host.access.tickets.all() else "a1" * 20
    log = tmp_path / "table.log"
    session = sack.session.id
    lines = [
        f"WARNING companion.house: game {session} cannot be read",
        "ERROR web: Annette, Ann and Bob sat here",
        f"INFO web: /join/{ticket} was opened",
        "WARNING vision: rtsp://ann:secret@192.168.1.20/stream is gone",
    ]
    log.write_text("\n".join(lines))
    done, file = run("--log", str(log), "--yes")
    assert done.exit_code == 0, done.output
    told = file.read_text()
    assert told in done.output  # It is shown as it is written.
    assert "Table companion" in told
    assert "flask" in told
    assert "red    pins      …'s button" in told
    assert session in told
    assert "Annette, … and … sat here" in told  # Another word that begins like a name is none.
    assert ticket not in told
    assert "secret" not in told
    assert "192.168.1.20/stream is gone" in told


@pytest.mark.parametrize("journal", [b"this is no database" * 100, None])
def test_without_a_journal_to_read_it_is_said_that_names_may_have_stayed(run, tmp_path, journal):
    if journal is not None:
        (tmp_path / "journal.sqlite3").write_bytes(journal)
    log = tmp_path / "table.log"
    log.write_text("ERROR web: Ann Miller sat here")
    done, file = run("--log", str(log), "--yes")
    assert done.exit_code == 0, done.output
    told = file.read_text()
    assert f"No journal was read in {tmp_path}: name the table's folder with --data." in told
    assert "Names may still stand in the log." in told


def test_nothing_is_written_before_somebody_agrees(run):
    done, file = run(answer="n\n")
    assert isinstance(done.exception, BadInput)
    assert not file.exists()
    assert "Write this into" in done.output
    assert run(answer="y\n")[1].exists()


def test_a_file_that_is_there_is_not_written_over(run):
    run("--yes")[1].write_text("mine")
    done, file = run("--yes")
    assert isinstance(done.exception, BadInput)
    assert file.read_text() == "mine"


def test_a_log_that_is_no_file_is_refused(run, tmp_path):
    done, file = run("--log", str(tmp_path / "none"), "--yes")
    assert isinstance(done.exception, BadInput)
    assert not file.exists()
