"""The text of a file, whose letters most old programs wrote in a code page that the file does not name."""

import codecs
import re
import unicodedata

from companion.errors import BadInput
from companion.words import _

CODE_PAGES = (
    *(f"cp125{number}" for number in range(8)),
    *("iso8859-2", "koi8-r", "mac-roman", "gb18030", "big5hkscs", "cp932", "euc_kr"),
)
LOOKED_AT, SHOWN = 20_000, 40
BESIDE_WORDS = r"\s!-~‘’´`“”„«»‹›·•–—…¿¡、，；。"
# Letters that were read by a wrong code page: signs in words, capitals after small letters, two scripts in one word.
MISREAD = (
    re.compile(rf"[^\W\d_][^\w{BESIDE_WORDS}]|[^\w{BESIDE_WORDS}✓✔☑✅][^\W\d_]"),
    re.compile("[a-zß-öø-ÿ][À-ÖØ-Þ]|[à-öø-ÿ][A-Z]|\\b[A-Z][À-ÖØ-ÞŒŠŸŽ][a-z]"),
    re.compile("[A-Za-z][\u0370-\u06ff]|[\u0370-\u06ff][A-Za-z]"),
)
MOST_ACCENTS = 0.4  # of the letters of a Latin text


def decode(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16 or a code page; raises BadInput for what is no text, or none for sure."""
    encoding = _unicode_of(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return _guessed(content)
    if not is_text(text):
        raise BadInput(_("This file isn't a list of names. Save it as text or CSV in UTF-8."))
    return text


def _unicode_of(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if content.count(0) > len(content) / 4:
        return "utf-16-be" if content[::2].count(0) > content[1::2].count(0) else "utf-16-le"
    return "utf-8-sig"


def _guessed(content: bytes) -> str:
    """The text by the likeliest code page in which its words look like words; raises BadInput where there is none."""
    import chardet  # It takes 20 MB and 0.2 s, and few files need it.

    left, looked_like = list(CODE_PAGES), ""
    while left:
        page = chardet.detect(
            content[:LOOKED_AT], include_encodings=left, compat_names=False, no_match_encoding=left[0]
        )["encoding"]
        if page not in left:
            break
        left.remove(page)
        text = content.decode(page, "replace")
        if "\ufffd" not in text and is_text(text[:LOOKED_AT]):
            looked_like = looked_like or text
            if is_plausible(text[:LOOKED_AT]):
                return text
    if looked_like:
        shown = " ".join(looked_like[:SHOWN].split())
        raise BadInput(
            _("We can't read the letters of this file: it looks like “{shown}”. Save it as UTF-8.", shown=shown)
        )
    raise BadInput(_("This file isn't a list of names. Save it as text or CSV in UTF-8."))


def is_text(text: str) -> bool:
    """Whether a text has no signs that only a machine reads."""
    return all(character.isspace() or unicodedata.category(character) not in ("Cc", "Co") for character in text)


def is_plausible(text: str) -> bool:
    """Whether the words of a text are such as people write."""
    latin = [letter for letter in text if letter.isalpha() and letter < "\u0250"]
    accents = sum(letter > "\x7f" for letter in latin)
    return accents <= MOST_ACCENTS * len(latin) and not any(pattern.search(text) for pattern in MISREAD)
