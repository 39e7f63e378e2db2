"""Names of people, devices and tables: one rule for every door, for names of all the world.

A name is some letters as people count them, of which one at least can be seen. Joiners stand where scripts and emoji
need them, also at the end of a word. Marks of direction that a pasted name brings at its ends are taken off. What else
changes the direction of other text, cannot be shown, or piles marks on a letter until they cover its neighbours is
refused.
"""

import unicodedata
from collections.abc import Callable, Iterator

from companion.errors import BadInput
from companion.words import _

NAME_LENGTH = 40  # More letters do not fit beside a score that is read from two metres.
MOST_LISTED = 500
MOST_CHARACTERS = 400  # An emoji of a family alone has eleven characters.
MOST_MARKS = 4  # Vietnamese, Hebrew and Tibetan need no more marks above, below and in one letter.
MOST_BESIDE = 4  # Burmese needs three marks that take room beside a letter.
ZWNJ, ZWJ = "\u200c", "\u200d"
VOWEL_SEPARATOR = "\u180e"  # Mongolian sets the last vowel of a word a little apart with it.
JOINERS = (ZWNJ, ZWJ, VOWEL_SEPARATOR)
DIRECTIONS = "\u200e\u200f\u061c"  # These say which way to write where they stand, and are copied with names.
VIRAMA = 9  # Marks of this combining class take a letter's vowel away.
JOINING = ("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC", "PHAGS-PA", "ADLAM", "HANIFI ROHINGYA")
SELECTORS = ("\ufe0e", "\ufe0f")  # They show the emoji before them as text or as a picture.
# These marks only choose a form of what is before them, or nothing at all.
UNSEEN_MARKS = frozenset(
    map(chr, (0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
# Unicode keeps these for emoji and for rare characters of Chinese names: a phone may have more than this Python.
SIGN_BLOCKS = (range(0x1F000, 0x1FB00), range(0x20000, 0x2FFFE), range(0x30000, 0x3FFFE))
# Nothing can be seen of these letters and symbols: fillers, a braille cell without a dot, Egyptian blanks, a musical
# note without a head, the place of an object that was not copied along.
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffc\U00013441\U00013442\U0001d159")
FLAG = "\U0001f3f4"  # It begins the flag of a part of a country, which goes on in tags.
TAGS = range(0xE0020, 0xE0080)
TONES = range(0x1F3FB, 0x1F400)
REGIONAL = range(0x1F1E6, 0x1F200)  # Two of them are the flag of a country.


def tidy_name(name: str) -> str:
    """A name as it is stored: in Unicode's NFC, since keyboards send "ë" as one character or as two."""
    return _trimmed(unicodedata.normalize("NFC", name))


def _trimmed(name: str) -> str:
    """A name with single spaces, without spaces and marks of direction at its ends."""
    return " ".join(name.split()).strip(DIRECTIONS + " ")


def alike(name: str) -> str:
    """A key that two names share if they look the same but for upper and lower case."""
    visible = "".join(character for character in name if character not in (*JOINERS, *UNSEEN_MARKS, *BLANK))
    return unicodedata.normalize("NFC", visible.casefold())


def shortened(name: str) -> str:
    """A label that somebody typed, tidied, with its first NAME_LENGTH letters, without what no name may have."""
    letters = letters_of(
        tidy_name("".join(character for character in name if is_shown(character) or character in (" ", *JOINERS)))
    )
    return "".join(letters[:NAME_LENGTH]).strip()


def check_names(names: list[str]) -> tuple[str, ...]:
    """Names as they will be stored; raises BadInput for one that cannot be used."""
    return _check_names([tidy_name(name) for name in names], alike)


def check_name(name: str) -> str:
    """One person's name as it will be stored; raises BadInput as `check_names`, with sentences about one name."""
    tidy = tidy_name(name)
    if not tidy:
        raise BadInput(_("Type a name."))
    if (count := length_of(tidy)) > NAME_LENGTH:
        raise BadInput(_("This name has {n} letters. Use at most {name_length}.", n=count, name_length=NAME_LENGTH))
    if not can_be_shown(tidy):
        raise BadInput(_("This name has characters that can't be shown. Type it again."))
    return tidy


def check_list(names: list[str]) -> tuple[str, ...]:
    """The same for a list that somebody brings."""
    if len(names) > MOST_LISTED:
        raise BadInput(
            _("The list has {n} names. Enter at most {most_entrants}.", n=len(names), most_entrants=MOST_LISTED)
        )
    return check_names(names)


def names_as_written(names: list[str]) -> tuple[str, ...]:
    """The same for the names of an imported game, which stay as they are written there; two may look alike."""
    return _check_names(names, str.casefold)


def _check_names(names: list[str], key: Callable[[str], str]) -> tuple[str, ...]:
    stored_names: list[str] = []
    for number, name in enumerate(names, start=1):
        tidy = _trimmed(name)
        if not tidy:
            raise BadInput(_("Player {number} has no name. Type one.", number=number))
        if (count := length_of(tidy)) > NAME_LENGTH:
            raise BadInput(
                _(
                    "Player {number}'s name has {n} characters. Use at most {name_length}.",
                    number=number,
                    n=count,
                    name_length=NAME_LENGTH,
                )
            )
        if not can_be_shown(tidy):
            raise BadInput(
                _("Player {number}'s name has characters that can't be shown. Type it again.", number=number)
            )
        if key(tidy) in map(key, stored_names):
            raise BadInput(_("Two players are called {tidy}. Add a letter to one of them.", tidy=tidy))
        stored_names.append(tidy)
    return tuple(stored_names)


def length_of(name: str) -> int:
    """The number of letters of a name; of one that is far too long, that of its characters."""
    return len(letters_of(name)) if len(name) <= MOST_CHARACTERS else len(name)


def can_be_shown(name: str) -> bool:
    """Whether a page shows the name as one that can be told from others, and nothing beside it."""
    letters = letters_of(name)
    if not all(is_shown(character) for character in name if character not in JOINERS) or not any(map(is_seen, name)):
        return False
    if unicodedata.category(name[0]).startswith("M") or any(map(is_heaped, letters)):
        return False
    if any(ord(character) in TAGS for letter in letters if not letter.startswith(FLAG) for character in letter):
        return False
    return all(is_joined(name, place) for place, character in enumerate(name) if character in JOINERS)


def is_joined(name: str, place: int) -> bool:
    """Whether the joiner at this place stands where it changes what is seen.

    That is between two characters that it may join, or at the end of a word whose last letter it shapes.
    """
    before, after = name[place - 1 : place], name[place + 1 : place + 2]
    if name[place] == VOWEL_SEPARATOR:
        return all(_is_of(character, ("MONGOLIAN LETTER", "MONGOLIAN FREE VARIATION")) for character in (before, after))
    if after in ("", " "):
        return before != "" and (unicodedata.combining(before) == VIRAMA or _is_of(before, JOINING))
    return before != "" and all(
        is_seen(beside) or beside in SELECTORS or unicodedata.category(beside).startswith("M") or is_tone(beside)
        for beside in (before, after)
    )


def _is_of(character: str, names: tuple[str, ...]) -> bool:
    """Whether Unicode's own name of a character begins with one of these; never for ""."""
    return character != "" and unicodedata.name(character, "").startswith(names)


def is_shown(character: str) -> bool:
    """Whether a character does not hide, control or turn round what is beside it."""
    return character.isprintable() or character in SELECTORS or ord(character) in TAGS or is_newer(character)


def is_seen(character: str) -> bool:
    """Whether something of the character itself can be seen."""
    return (unicodedata.category(character)[0] in "LNPS" and character not in BLANK) or is_newer(character)


def is_newer(character: str) -> bool:
    """Whether it is an emoji or a Chinese character that came after this Python."""
    return unicodedata.category(character) == "Cn" and any(ord(character) in signs for signs in SIGN_BLOCKS)


def is_tone(character: str) -> bool:
    """Whether it gives the emoji before it a colour of skin."""
    return ord(character) in TONES


def is_heaped(letter: str) -> bool:
    """Whether a letter has more marks than any script needs, emoji's selectors left out."""
    kinds = [unicodedata.category(character) for character in letter if character not in SELECTORS]
    return kinds.count("Mn") + kinds.count("Me") > MOST_MARKS or kinds.count("Mc") > MOST_BESIDE


def letters_of(name: str) -> list[str]:
    """The letters of a name as people count them: with their marks, an emoji with all that is joined to it."""
    return list(_letters(name))


def _letters(name: str) -> Iterator[str]:
    letter = ""
    for character in name:
        if letter and _goes_on(letter, character):
            letter += character
        else:
            if letter:
                yield letter
            letter = character
    if letter:
        yield letter


def _goes_on(letter: str, character: str) -> bool:
    """Whether a character belongs to the letter before it."""
    if unicodedata.category(character).startswith("M") or character in JOINERS or is_tone(character):
        return True
    if letter.endswith(ZWJ) and (unicodedata.category(character) in ("So", "Sm") or is_newer(character)):
        return True
    if ord(character) in TAGS:
        return letter.startswith(FLAG)
    return len(letter) == 1 and ord(letter) in REGIONAL and ord(character) in REGIONAL
