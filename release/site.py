"""`make docs`: lays into build/docs what mkdocs.yml makes pages of: the documents, and what is made from the code.

Documents keep their places, so their links hold. A link to what is no document stays as its words.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from companion.__main__ import cli
from companion.game import widgets
from release import api_page

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build/docs"
DOCUMENTS = (
    "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md", "hardware/*.md",
    "vision/models/README.md",
)  # fmt: skip
PICTURES = (".png", ".jpg", ".svg")
LINK = re.compile(r"(!?)\[((?:[^\]\\]|\\.)*)\]\((?!https?:|mailto:|#)([^)\s]+)\)")
CONTRACT = ROOT / "release/contract.md"


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    for path in documents():
        place = OUT / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(with_links(path), encoding="utf-8")
    shutil.copy(ROOT / "release/iframe-worker.js", OUT)  # Without it a browser searches in no files.
    made = OUT / "reference"
    made.mkdir()
    shutil.copy(CONTRACT, made)
    (made / "widgets.md").write_text(widgets_page(), encoding="utf-8")
    (made / "commands.md").write_text("\n".join(command_lines(cli, "companion")), encoding="utf-8")
    (made / "api.md").write_text(api_page.page(), encoding="utf-8")


def documents() -> list[Path]:
    """Every document of the site that people have written."""
    return sorted({path for pattern in DOCUMENTS for path in ROOT.glob(pattern)})


def with_links(document: Path) -> str:
    """A document's text; pictures come along, and links to what is no document become words. Ends with a lost one."""
    known = set(documents())

    def held(link: re.Match[str]) -> str:
        target = (document.parent / link[3].partition("#")[0]).resolve()
        if not target.exists():
            sys.exit(f"{document.relative_to(ROOT)} leads to {link[3]}, which is not there.")
        if target.suffix in PICTURES:
            place = OUT / target.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, place)
        elif target not in known:
            return link[2]
        return link[0]

    return LINK.sub(held, document.read_text(encoding="utf-8"))


def widgets_page() -> str:
    """Every widget by its own words; `/gallery` of a running table shows them."""
    names = [name for name, kind in vars(widgets).items() if getattr(kind, "__module__", "") == widgets.__name__]
    classes = [name for name in names if isinstance(getattr(widgets, name), type)]
    lines = ["# Widgets", "", "What a game's `view` may return. `/gallery` of a running table shows each of them.", ""]
    return "\n".join([*lines, *(f"::: companion.game.widgets.{name}\n" for name in classes)])


def command_lines(command: click.Command, name: str) -> Iterator[str]:
    """A command's help, then that of those below it."""
    context = click.Context(command, info_name=name, terminal_width=100)
    if name == "companion":
        yield "# Commands\n\nEach ends with 0 for success, 1 for a refusal with one sentence, 2 for wrong usage.\n"
    yield f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            if (part := command.get_command(context, below)) and not part.hidden:
                yield from command_lines(part, f"{name} {below}")


if __name__ == "__main__":
    main()
