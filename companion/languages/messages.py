"""The message catalogues: reads what people read out of the code, and brings every language's catalogues up to date.

`make messages` runs it. What is new in the code stands in a catalogue with an empty translation, and is said in English
until it has one; what is no longer there is taken out. Nothing is guessed: a changed message is a new one. How far each
language is stands in `translated.json`; whether somebody who speaks it has read it, too, is entered there by hand.
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

from companion.words import DOMAIN, FOLDER, TABLET, TRANSLATED

Extract = tuple[Any, ...]
"""Line, message, comments and context, as Babel extracts them."""
ROOT = Path(__file__).parents[2]
PYTHON = ("companion/**/*.py", "web/**/*.py", "firmware/**/*.py", "vision/**/*.py")
TEMPLATES, SCRIPTS = "web/templates/**/*.*", "web/static/**/*.js"
DATA = {"companion/equipment/deck.toml": "name = ", "companion/equipment/mats.toml": "title = "}
KEYWORDS = {"_": None, "_n": (1, 2), "_p": ((1, "c"), 2), "pgettext": ((1, "c"), 2), "N_": None, "_html": None}
SCRIPT_KEYWORDS = {"t": None, "tn": (1, 2)}
WIDTH = 120
LEFT_OUT = ("Project-Id-Version", "Report-Msgid-Bugs-To", "Last-Translator", "Language-Team", "Generated-By")


def extract(domain: str) -> Catalog:
    """Every message of the code, with the files it stands in."""
    catalogue = Catalog(domain=domain, project="table-companion")
    for path, (_line, message, comments, context) in sorted(
        messages(domain), key=lambda entry: (entry[0], entry[1][0])
    ):
        catalogue.add(message, None, locations=[(path, 0)], auto_comments=comments, context=context)
    return catalogue


def messages(domain: str) -> Iterator[tuple[str, Extract]]:
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


def in_files(method: str, patterns: tuple[str, ...], keywords: Mapping[str, Any]) -> Iterator[tuple[str, Extract]]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            for entry in extract_from_file(method, path, keywords, options={"trimmed": "true"}):
                yield name, entry


def path_of(language: str, domain: str) -> Path:
    """Where a catalogue stands."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def update(language: str, domain: str) -> Catalog:
    """A language's catalogue with exactly the messages of the code."""
    path = path_of(language, domain)
    if path.exists():
        with path.open("rb") as file:
            old = read_po(file, locale=language, domain=domain)
    else:
        old = Catalog(locale=language, domain=domain)
    catalogue = Catalog(language, domain, fuzzy=False)
    catalogue.header_comment = f"# {old.locale.english_name if old.locale else language}: what people read."
    # A date of today would be a change without one.
    catalogue.creation_date = catalogue.revision_date = old.creation_date
    for message in extract(domain):
        if message.id:
            translated = old.get(message.id, message.context)
            catalogue.add(
                message.id,
                translated.string if translated else None,
                locations=message.locations,
                auto_comments=message.auto_comments,
                context=message.context,
            )
    return catalogue


def untranslated(catalogue: Catalog) -> list[str]:
    """The messages that a language still lacks."""
    return [str(entry.id) for entry in catalogue if entry.id and not all(forms(entry.string))]


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """A message or translation with its plural forms."""
    return tuple(text) if isinstance(text, tuple | list) else (text or "",)


def write(catalogue: Catalog, path: Path) -> None:
    """The catalogue for people (.po) and, beside it, for the program: .mo, and .json for the scripts of the pages."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = BytesIO()
    write_po(text, catalogue, width=WIDTH, include_lineno=False, sort_by_file=True)
    lines = text.getvalue().decode().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(tuple(f'"{name}:' for name in LEFT_OUT))))
    write_for_the_program(catalogue, path)


def write_for_the_program(catalogue: Catalog, path: Path) -> None:
    """A catalogue as the program reads it, beside its `path`: what is not whole is left out, and said in English."""
    for entry in list(catalogue):
        if entry.id and not all(forms(entry.string)):
            catalogue.delete(entry.id, entry.context)
    if catalogue.domain == TABLET:
        texts = {forms(entry.id)[0]: entry.string for entry in catalogue if entry.id}
        path.with_suffix(".json").write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)


def main(languages: list[str]) -> None:
    """Brings the catalogues of `languages` up to date, of all that are there when none is named."""
    for language in languages or sorted(path.parent.name for path in FOLDER.glob("*/LC_MESSAGES")):
        messages_in_all = lacking = 0
        for domain in (DOMAIN, TABLET):
            catalogue = update(language, domain)
            count, without = len(catalogue), len(untranslated(catalogue))
            messages_in_all, lacking = messages_in_all + count, lacking + without
            write(catalogue, path_of(language, domain))
            print(f"{language} {domain}: {count} messages, {without} without a translation")
        enter_share(language, 100 * (messages_in_all - lacking) // messages_in_all)


def enter_share(language: str, percent: int) -> None:
    """Writes down how far a language is; one that is new has been read by nobody."""
    path = FOLDER / TRANSLATED
    shares = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    shares[language] = {"percent": percent, "is_reviewed": shares.get(language, {}).get("is_reviewed", False)}
    path.write_text(json.dumps(dict(sorted(shares.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
