"""The Containerfile, read as a builder reads it: no image can be built where these tests run."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from companion.__main__ import cli

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs/container.md").read_text(encoding="utf-8")


def steps(text):
    """(instruction, its words) in order; lines that end with a backslash go on."""
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]


STEPS = steps(TEXT)
(RUN,) = ([words for step, words in STEPS if step == "CMD"],)


def said(instruction):
    return [words for step, words in STEPS if step == instruction]


def option_names(command):
    return {name for option in command.params for name in option.opts if isinstance(option, click.Option)}


def test_it_knows_only_instructions_that_there_are_and_pins_its_base():
    known = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {step for step, _words in STEPS} <= known
    (base,) = said("FROM")
    name, _, tag = base.rpartition(":")
    assert name.startswith("docker.io/library/python")
    supported = re.search(r">=(\d+)\.(\d+)", project()["requires-python"])
    version = tuple(map(int, re.match(r"(\d+)\.(\d+)", tag).groups()))
    assert version >= tuple(map(int, supported.groups()))
    assert f"Programming Language :: Python :: {version[0]}.{version[1]}" in project()["classifiers"]


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_what_it_copies_is_there_and_not_left_out():
    kept = [line[1:] for line in (ROOT / ".containerignore").read_text().splitlines() if line.startswith("!")]
    sources = [word for words in said("COPY") for word in words.split()[:-1]]
    for source in sources:
        assert any(Path(source).match(name) or source.startswith(f"{name}/") for name in kept), source
        if source.startswith("build/"):  # make container puts the wheel there
            assert "--wheel-dir build/container ." in (ROOT / "Makefile").read_text()
        else:
            assert (ROOT / source).is_file(), source
    locks = {Path(source).name for source in sources if source.endswith(".lock")}
    assert {Path(name).name for name in re.findall(r"-r (\S+)", " ".join(said("RUN")))} == locks


def test_every_package_is_pinned_by_its_hash():
    pips = [command for words in said("RUN") for command in words.split(" && ") if command.startswith("pip install")]
    assert len(pips) == 2
    for command in pips:
        assert "--no-deps" in command
        assert "--require-hashes" in command or command.split()[-1] == "/tmp/wheel/*.whl"


def test_nobody_in_it_is_root_and_games_outlive_it():
    order = [step for step, _words in STEPS]
    (user,) = said("USER")
    assert re.search(rf"useradd --uid [1-9]\d+ .*\b{user}\b", " ".join(said("RUN")))
    assert order.index("USER") > max(at for at, step in enumerate(order) if step in ("RUN", "COPY"))
    assert said("VOLUME") == ["/data"]
    assert f"install --directory --owner {user} /data" in " ".join(said("RUN"))


def test_it_starts_a_command_with_options_that_there_are():
    (program,) = json.loads(said("ENTRYPOINT")[0])
    assert project()["scripts"] == {program: "companion.__main__:main"}
    command, *words = json.loads(said("CMD")[0])
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert set(options) <= option_names(cli.get_command(click.Context(cli), command))
    assert options["--data"] in said("VOLUME")
    assert [options["--port"]] == said("EXPOSE")
    assert f"127.0.0.1:{options['--port']}/healthz" in said("HEALTHCHECK")[0]


@pytest.mark.parametrize("command", ["run", "hub"])
def test_the_page_names_options_that_there_are(command):
    options = option_names(cli.get_command(click.Context(cli), command))
    lines = re.findall(rf"`(?:companion )?{command} (--[^`]+)`", DOCUMENT)
    assert lines
    for line in lines:
        assert set(re.findall(r"--[\w-]+", line)) <= options


def test_the_commands_that_run_inside_are_understood():
    commands = re.findall(r"podman exec CONTAINER companion ([^`]+)`", DOCUMENT)
    assert commands
    for words in commands:
        ran = CliRunner().invoke(cli, [*words.split(), "--help"])
        assert ran.exit_code == 0, ran.output


@pytest.fixture
def programs(tmp_path):
    """A folder with what `make container` calls, and no builder; its Python builds no wheel."""
    for name in ("sh", "rm", "mkdir"):
        (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / "python").symlink_to(shutil.which("true"))
    return tmp_path


def made(programs):
    """What `make container` came to with those programs alone, in a folder of its own."""
    make = [shutil.which("make"), "-f", ROOT / "Makefile", "-o", ".venv/installed", "container", f"BIN={programs}"]
    env = {"PATH": str(programs)}
    return subprocess.run(make, cwd=programs, env=env, capture_output=True, text=True, timeout=60)


def test_without_a_builder_one_is_named(programs):
    ran = made(programs)
    assert ran.returncode != 0
    assert "install podman, then make container again" in ran.stderr


def test_the_builder_gets_the_containerfile(programs):
    builder = programs / "podman"
    builder.write_text(f'#!/bin/sh\necho "$@" > {programs}/asked\n')
    builder.chmod(0o755)
    assert made(programs).returncode == 0
    assert (programs / "asked").read_text() == "build --file Containerfile --tag table-companion .\n"


def test_no_module_of_an_earlier_build_is_left(programs):
    for folder in ("lib/companion", "container"):
        (programs / "build" / folder).mkdir(parents=True)
        (programs / "build" / folder / "gone.py").touch()
    made(programs)
    assert list((programs / "build").rglob("gone.py")) == []
