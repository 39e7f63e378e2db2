"""The two kinds of paper that pages are printed on, and which of them this machine's system is set to."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.words import N_

SYSTEM_FILE = Path("/etc/papersize")  # Debian's libpaper reads and writes it.
# Paper is as in the United States there, by CLDR's supplemental data; everywhere else it is A4.
LETTER_LANDS = frozenset(["BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"])
LETTER_WORDS = ("letter", "legal", "ledger", "tabloid", "executive")  # libpaper has these words for such sheets.


@dataclass(frozen=True)
class Paper:
    """A kind of paper: the usual sheet and one of twice its size, in millimetres.

    page_mm     width and height of the usual sheet, upright
    large_mm    width and height of the large sheet, lying
    margin_mm   left white on each side: printers leave 4 to 6 mm, and a mat needs the rest
    """

    name: str
    title: str
    large_title: str
    page_mm: tuple[float, float]
    large_mm: tuple[float, float]
    margin_mm: float

    @property
    def lying_mm(self) -> tuple[float, float]:
        """Width and height of the usual sheet, lying."""
        return self.page_mm[1], self.page_mm[0]


A4 = Paper("a4", "A4", "A3", (210.0, 297.0), (420.0, 297.0), 10.0)
LETTER = Paper("letter", N_("US Letter"), "Tabloid", (215.9, 279.4), (431.8, 279.4), 8.0)
PAPERS: dict[str, Paper] = {paper.name: paper for paper in (A4, LETTER)}
NAMES: Mapping[str, Paper] = PAPERS | {paper.large_title.lower(): paper for paper in (A4, LETTER)}


def paper_named(name: str) -> Paper:
    """The paper of that name, which may be its large sheet's; the system's own for "" and for a name that none has."""
    return NAMES.get(name) or system_paper()


def system_paper(environ: Mapping[str, str] = os.environ, file: Path = SYSTEM_FILE) -> Paper:
    """The paper that the system is set to: by its setting for printers, else by the land of its locale, else A4."""
    for word in (environ.get("PAPERSIZE", ""), environ.get("PAPERCONF", ""), _word_in(file)):
        if word:
            return LETTER if word.lower().startswith(LETTER_WORDS) else A4
    locale = environ.get("LC_ALL") or environ.get("LC_PAPER") or environ.get("LANG") or ""
    land = locale.partition(".")[0].partition("@")[0].partition("_")[2]
    return LETTER if land in LETTER_LANDS else A4


def _word_in(file: Path) -> str:
    """The first word of a file of settings whose comments begin with #, "" if there is none."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # Most systems have no such file.
        return ""
    return next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")
