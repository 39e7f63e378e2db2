"""Versions beside those of the last release: what changes without its version fails `make check`.

    python -m release.versions [--again]      # make versions: writes down what is released now

docs/versions.md says how versions are counted. `versions.toml` is the last release, as values and digests.
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import tomlkit

from companion.game.game import CONTRACT, Game
from companion.game.parts.box import Box
from companion.game.parts.pages import Pages
from companion.game.parts.rules import Rules
from companion.game.parts.sight import Sight
from companion.journal import schema
from companion.journal.rules_digest import rules_digest
from companion.shelf import GAMES, PACKAGES
from web.api.routes import describe

ROOT = Path(__file__).parents[1]
KEPT = Path(__file__).with_name("versions.toml")
HUB = ROOT / "companion/hub/migrations/versions"
HEAD = "What the last release was made of: `make versions` writes it, docs/versions.md says how versions are counted."
IN_WORDS = ("description", "summary", "title")  # They may be said better at any time.


@dataclass(frozen=True)
class Versions:
    """What is counted, at one moment.

    journal     a digest of each migration, oldest first; their number is the journal's version
    hub         migration of the hub's database → digest
    document    digest of the API's OpenAPI document without its words
    parts       part of a game's contract → its fields, those that have no default with a "!"
    rules       game → `rules_digest`
    """

    program: str
    api: str
    contract: int
    document: str
    journal: list[str]
    hub: dict[str, str]
    parts: dict[str, list[str]]
    rules: dict[str, str]


def now() -> Versions:
    """What this checkout has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = {name: game for name, game in GAMES.items() if name not in PACKAGES}  # Others have versions of their own.
    api = describe(ours.values())
    return Versions(
        program=project["version"],
        api=api["info"]["version"],
        contract=CONTRACT,
        document=digest(json.dumps(without_words({**api, "info": {}}), sort_keys=True)),
        journal=[digest(migration) for migration in schema.MIGRATIONS],
        hub={path.stem: digest(path.read_text(encoding="utf-8")) for path in sorted(HUB.glob("*.py"))},
        parts={part.__name__: fields_of(part) for part in (Game, Rules, Pages, Sight, Box)},
        rules={game: rules_digest(game) for game in sorted(ours)},
    )


def kept() -> Versions:
    """The last release."""
    return Versions(**tomllib.loads(KEPT.read_text(encoding="utf-8")))


def digest(text: str) -> str:
    """The beginning of a text's SHA-256: long enough to notice a change."""
    return sha256(text.encode()).hexdigest()[:16]


def without_words(value: Any) -> Any:
    """A part of an OpenAPI document without the sentences for people."""
    if isinstance(value, dict):
        said = {key for key in IN_WORDS if isinstance(value.get(key), str)}
        return {key: without_words(part) for key, part in value.items() if key not in said}
    return [without_words(part) for part in value] if isinstance(value, list) else value


def fields_of(part: type) -> list[str]:
    """The names of a dataclass's fields, with a "!" where whoever makes one must give it."""
    return [
        field.name + "!" * (field.default is MISSING and field.default_factory is MISSING) for field in fields(part)
    ]


def complaints(released: Versions, today: Versions) -> Iterator[str]:
    """A sentence for each version that has to rise, or for what has to stay as it was."""
    before = released.program
    if today.journal[: len(released.journal)] != released.journal:
        yield (
            f"A migration of the journal of {before} has changed: put it back, and append another one to MIGRATIONS in "
            "companion/journal/schema.py."
        )
    if changed := [name for name, content in released.hub.items() if today.hub.get(name) != content]:
        yield f"Migrations of the hub of {before} have changed: put back {', '.join(changed)}, and add another one."
    if today.document != released.document and today.api == released.api:
        major, minor = map(int, released.api.split("."))
        yield (
            f"The API has changed since {before}: raise API in web/api/openapi.py, to {major}.{minor + 1} where every "
            f"call of before still works, else to {major + 1}.0."
        )
    if today.contract == released.contract:
        for part, names in released.parts.items():
            if gone := names_of(names) - names_of(today.parts.get(part, [])):
                yield f"{part} has lost {', '.join(sorted(gone))}: raise CONTRACT in companion/game/game.py."
            if asked := {name for name in today.parts.get(part, []) if name.endswith("!")} - set(names):
                yield f"{part} now needs {', '.join(sorted(asked))}: raise CONTRACT in companion/game/game.py."
    if ruled := [game for game, content in released.rules.items() if today.rules.get(game) != content]:
        major, minor, _ = map(int, before.split("."))
        if tuple(map(int, today.program.split(".")[:2])) <= (major, minor):
            yield (
                f"The rules of {', '.join(ruled)} have changed since {before}: raise version in pyproject.toml to "
                f"{major}.{minor + 1}.0."
            )


def names_of(names: list[str]) -> set[str]:
    """The names of fields, whether or not they have a default."""
    return {name.removesuffix("!") for name in names}


def write(versions: Versions, path: Path, again: bool) -> None:
    """Writes down a release; ends the program where another content of that version is written down already."""
    if path.exists() and not again:
        released = Versions(**tomllib.loads(path.read_text(encoding="utf-8")))
        if released.program == versions.program and released != versions:
            sys.exit(
                f"{versions.program} is written down with another content: raise version in pyproject.toml, or add "
                "--again while nobody has been given that version."
            )
    document = tomlkit.document()
    document.add(tomlkit.comment(HEAD))
    for name, value in asdict(versions).items():
        document[name] = tomlkit.array(json.dumps(value)).multiline(True) if isinstance(value, list) else value
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


def main() -> None:
    write(now(), KEPT, again="--again" in sys.argv[1:])


if __name__ == "__main__":
    main()
