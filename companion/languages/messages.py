"""The message catalogues: reads what people read out of the code, and brings every language's catalogues up to date.

`make messages` runs it. What is new in the code stands in a catalogue with an empty translation; what is no longer
there is taken out. Nothing is guessed: a changed message is a new one.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from companion.words import DOMAIN, FOLDER, TABLET

Found = tuple[Any, ...]  # line, message, comments, context: what Babel extracts
ROOT = Path(__file__).parents[2]
PYTHON = ("companion/**/*.py", "web/**/*.py", "firmware/**/*.py", "vision/**/*.py")
TEMPLATES, SCRIPTS = "web/templates/**/*.*", "web/static/**/*.js"
DATA = {"companion/equipment/deck.toml": "name = ", "companion/equipment/mats.toml": "title = "}
KEYWORDS = {"_": None, "_n": (1, 2), "_p": ((1, "c"), 2), "pgettext": ((1, "c"), 2), "N_": None, "_html": None}
SCRIPT_KEYWORDS = {"t": None, "tn": (1, 2)}
WIDTH = 120
NOBODY = ("Project-Id-Version", "Report-Msgid-Bugs-To", "Last-Translator", "Language-Team", "Generated-By")  # not said


def extracted(domain: str) -> Catalog:
    """Every message of the code, with the files it stands in."""
    found = Catalog(domain=domain, project="table-companion")
    for path, (_line, message, comments, context) in sorted(messages(domain), key=lambda each: (each[0], each[1][0])):
        found.add(message, None, locations=[(path, 0)], auto_comments=comments, context=context)
    return found


def messages(domain: str) -> Iterator[tuple[str, Found]]:
    """(path, what stands there)."""
    if domain == TABLET:
        yield from in_files("javascript", (SCRIPTS,), SCRIPT_KEYWORDS)
        return
    yield from in_files("python", PYTHON, KEYWORDS)
    yield from in_files("jinja2.ext:babel_extract", (TEMPLATES,), KEYWORDS)
    for path, beginning in DATA.items():
        for number, line in enumerate((ROOT / path).read_text().splitlines(), start=1):
            if line.startswith(beginning):
                yield path, (number, line.partition('"')[2].rstrip('"'), [], None)


def in_files(method: str, patterns: tuple[str, ...], keywords: Mapping[str, Any]) -> Iterator[tuple[str, Found]]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            for each in extract_from_file(method, path, keywords, options={"trimmed": "true"}):
                yield name, each


def path_of(language: str, domain: str) -> Path:
    """Where a catalogue stands."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def updated(language: str, domain: str) -> Catalog:
    """A language's catalogue with exactly the messages of the code."""
    path = path_of(language, domain)
    if path.exists():
        with path.open("rb") as file:
            old = read_po(file, locale=language, domain=domain)
    else:
        old = Catalog(locale=language, domain=domain)
    fresh = Catalog(language, domain, fuzzy=False)
    fresh.header_comment = f"# {old.locale.english_name if old.locale else language}: what people read."
    fresh.creation_date = fresh.revision_date = old.creation_date  # a date of today would be a change without one
    for message in extracted(domain):
        if message.id:
            known = old.get(message.id, message.context)
            fresh.add(
                message.id,
                known.string if known else None,
                locations=message.locations,
                auto_comments=message.auto_comments,
                context=message.context,
            )
    return fresh


def untranslated(catalogue: Catalog) -> list[str]:
    """The messages that a language still lacks."""
    return [str(each.id) for each in catalogue if each.id and not all(forms(each.string))]


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """A message or translation with its plural forms."""
    return tuple(text) if isinstance(text, tuple | list) else (text or "",)


def write(catalogue: Catalog, path: Path) -> None:
    """The catalogue for people (.po) and, beside it, for the program: .mo, and .json for the scripts of the pages."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = BytesIO()
    write_po(text, catalogue, width=WIDTH, include_lineno=False, sort_by_file=True)
    lines = text.getvalue().decode().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(tuple(f'"{name}:' for name in NOBODY))))
    write_for_the_program(catalogue, path)


def write_for_the_program(catalogue: Catalog, path: Path) -> None:
    """A catalogue as the program reads it, beside its `path`."""
    if catalogue.domain == TABLET:
        texts = {forms(each.id)[0]: each.string for each in catalogue if each.id}
        path.with_suffix(".json").write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)


def main(languages: list[str]) -> None:
    """Brings the catalogues of `languages` up to date, of all that are there when none is named."""
    for language in languages or sorted(path.parent.name for path in FOLDER.glob("*/LC_MESSAGES")):
        for domain in (DOMAIN, TABLET):
            catalogue = updated(language, domain)
            write(catalogue, path_of(language, domain))
            print(
                f"{language} {domain}: {len(catalogue)} messages, {len(untranslated(catalogue))} without a translation"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
