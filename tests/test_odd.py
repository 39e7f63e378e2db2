"""docs/odd.md quotes what the program says: each quoted sentence is one of the catalogue's or of doctor's."""

import ast
import re
import shlex
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from companion.app.cli.report import UNITS, report

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "odd.md").read_text()
QUOTED = re.findall("“((?:[^“”]|“[^“”]*”)+)”", PAGE)  # a name within has such marks, too
GERMAN = ROOT / "companion" / "languages" / "de" / "LC_MESSAGES"
HEALTH = "vision/cameras/health.py"


def messages(catalogue):
    with (GERMAN / catalogue).open("rb") as file:
        return [message for message in read_po(file) if message.id]


def sentences_of_doctor():
    """Its strings; what is filled in stands as an ellipsis."""
    for module in ("command.py", "host_checks.py"):
        for node in ast.walk(ast.parse((ROOT / "companion/app/doctor" / module).read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)


def shown(message_id):
    """A message with an ellipsis for each value that is filled in, as the page quotes it."""
    return re.sub(r"\{\w+\}", "…", " ".join(message_id.split()))


@pytest.fixture(scope="module")
def said():
    ids = [message.id for catalogue in ("companion.po", "tablet.po") for message in messages(catalogue)]
    return {shown(one) for one in ids if isinstance(one, str)} | {
        re.sub(r"\{[^}]+\}", "…", one).strip() for one in sentences_of_doctor()
    }


@pytest.mark.parametrize("sentence", QUOTED)
def test_a_quoted_sentence_is_one_that_the_program_says(sentence, said):
    if sentence.endswith(" …"):  # only its beginning is quoted
        assert any(one.startswith(sentence.removesuffix("…")) for one in said)
    else:
        assert sentence in said


def test_every_sentence_on_a_spoilt_picture_is_on_the_page():
    ids = [message.id for message in messages("companion.po") if HEALTH in dict(message.locations)]
    assert len(ids) > 7
    assert [one for one in map(shown, ids) if one not in QUOTED] == []


def test_the_page_ends_with_the_report_here_and_on_a_box():
    end = PAGE.rpartition("\n## ")[2]
    assert "\n    companion report\n" in end
    unit = (ROOT / "hardware/systemd/table-companion.service").read_text()
    (account,) = re.findall(r"^User=(.+)$", unit, re.M)
    (data,) = re.findall(r"--data (\S+)", unit)
    (on_a_box,) = re.findall(rf"^    sudo -u {account} companion (report --data {data} .+)$", end, re.M)
    arguments = report.make_context("report", shlex.split(on_a_box)[1:]).params
    log, units = re.search(r"^    journalctl (.+) -n \d+ > (.+)$", end, re.M).group(2, 1)
    assert arguments["log"] == Path(log)
    assert set(units.split()) - {"-u"} == set(UNITS)
