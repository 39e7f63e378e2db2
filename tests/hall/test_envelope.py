"""A game on its way to a hub: what is sent of it, and what is refused on arrival."""

import json
import re
import zlib

import msgspec
import pytest

from companion.errors import BadInput, NotAllowed
from companion.journal.events import Origin
from companion.journal.record import Row, broken_link
from companion.journal.session import digest
from companion.letters import chain as chains
from companion.letters.chain import Relation, pack, relation, unpack
from companion.letters.envelope import make_envelope, open_letter, seal
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, QUICK, chain_of, public_of, ranks_of, struck

PICTURE = "ab" * 32


def envelope_of(chain, before=None, ranks=(), pictures=None):
    return make_envelope(KEY, chain, before, ranks, pictures or {}, NOON_US, wall_sure=True)


def changed(letter, **fields):
    """The letter with other fields in its envelope and the old signature."""
    envelope, rest = letter.split(b"\n", 1)
    return json.dumps({**json.loads(envelope), **fields}, sort_keys=True, separators=(",", ":")).encode() + b"\n" + rest


def test_what_arrives_is_what_was_played():
    chain = chain_of(QUICK)
    envelope = envelope_of(chain, ranks=ranks_of(chain, QUICK), pictures={2: PICTURE})
    letter = open_letter(seal(KEY, envelope, chain), public_of)
    assert (letter.envelope, letter.chain) == (envelope, chain)


def test_the_hashes_are_those_of_the_tables_own_journal(host, sack):
    """A game of a real table: each hash is computed anew, and none of them was sent."""
    from companion.games.sack_stackers.events import Rolled

    sack.submit(Rolled((3, 5)), Origin("roll", 0))
    rows, header = host.journal.rows(sack.session.id), host.journal.header(sack.session.id)
    data = pack(header, rows)
    chain = unpack(data)
    assert chain.rows == rows
    assert broken_link(header, chain.rows) is None
    assert rows[0].hash.encode() not in zlib.decompress(data)


def test_no_name_and_no_birth_year_leaves_the_table(host):
    table = host.create("sack_stackers", ["Wilhelmina", "Bartholomew"], {})
    chain = unpack(pack(host.journal.header(table.session.id), host.journal.rows(table.session.id)))
    envelope = envelope_of(chain, ranks=(table.session.players,))
    sent = seal(KEY, envelope, chain)
    whole = sent + zlib.decompress(sent.split(b"\n", 2)[2])
    assert not re.search(rb"Wilhelmina|Bartholomew|birth", whole)


def test_a_key_that_nobody_enrolled_gets_nothing_in():
    chain = chain_of(QUICK)
    envelope = make_envelope(OTHER_KEY, chain, None, (), {}, NOON_US, wall_sure=True)
    with pytest.raises(NotAllowed, match="Enrol"):
        open_letter(seal(OTHER_KEY, envelope, chain), public_of)


def test_another_table_cannot_sign_for_this_one():
    chain = chain_of(QUICK)
    with pytest.raises(NotAllowed, match="signature"):
        open_letter(seal(OTHER_KEY, envelope_of(chain), chain), public_of)


@pytest.mark.parametrize(
    "fields",
    [
        {"n": 2},
        {"previous": PICTURE},
        {"head": PICTURE},
        {"entries": 1},
        {"rules": ""},
        {"ranks": [["p1"], ["p0"]]},
        {"pictures": {"1": PICTURE}},
        {"wall_us": NOON_US - 1},
        {"wall_sure": False},
    ],
)
def test_every_word_of_the_envelope_is_signed(fields):
    chain = chain_of(QUICK)
    letter = seal(KEY, envelope_of(chain, ranks=(("p0",), ("p1",)), pictures={1: "cd" * 32}), chain)
    open_letter(letter, public_of)
    with pytest.raises(NotAllowed, match="signature"):
        open_letter(changed(letter, **fields), public_of)


def test_every_entry_is_signed_by_the_head():
    """Another game in the same envelope, though its own chain holds."""
    whole, shorter = chain_of(QUICK), chain_of(QUICK, cut=-1)
    with pytest.raises(BadInput, match="changed after it was signed"):
        open_letter(seal(KEY, envelope_of(whole), shorter), public_of)


@pytest.mark.parametrize("field", [{"entries": 1}, {"rules": ""}, {"session": "game-2"}])
def test_an_envelope_that_speaks_of_another_game_is_refused_though_it_is_signed(field):
    chain = chain_of(QUICK)
    with pytest.raises(BadInput, match="changed after it was signed"):
        open_letter(seal(KEY, msgspec.structs.replace(envelope_of(chain), **field), chain), public_of)


@pytest.mark.parametrize("ranks", [(("p0",), ("stranger",)), (("p0", "p1"), ("p0",))])
def test_a_ranking_names_each_player_of_the_game_once(ranks):
    chain = chain_of(QUICK)
    with pytest.raises(BadInput, match="ranking"):
        open_letter(seal(KEY, envelope_of(chain, ranks=ranks), chain), public_of)


def test_a_picture_belongs_to_an_entry():
    chain = chain_of(QUICK)
    with pytest.raises(BadInput, match="picture"):
        open_letter(seal(KEY, envelope_of(chain, pictures={len(chain.rows) + 1: PICTURE}), chain), public_of)


def test_a_letter_cut_anywhere_is_refused_in_one_sentence():
    chain = chain_of(QUICK)
    letter = seal(KEY, envelope_of(chain), chain)
    for end in range(0, len(letter), 7):
        with pytest.raises((BadInput, NotAllowed)) as refused:
            open_letter(letter[:end], public_of)
        assert str(refused.value).endswith(".")


@pytest.mark.parametrize("letter", [b"", b"\n" * 400, b"{}\n" + b"0" * 128 + b"\n", b"[" * 100_000, b"\xff" * 500])
def test_anything_else_is_refused_in_one_sentence(letter):
    with pytest.raises(BadInput, match="didn't arrive whole"):
        open_letter(letter, public_of)


def test_what_follows_the_game_is_refused():
    chain = chain_of(QUICK)
    with pytest.raises(BadInput, match="didn't arrive whole"):
        open_letter(seal(KEY, envelope_of(chain), chain) + b"more", public_of)


def test_a_bomb_is_not_unpacked(monkeypatch):
    """A megabyte that would become a gigabyte: never more is unpacked than the longest game has."""
    packer = zlib.compressobj()
    bomb = b"".join([*(packer.compress(bytes(10_000_000)) for _ in range(30)), packer.flush()])
    asked, whole = [], zlib.decompressobj

    class Watched:
        def __init__(self):
            self._stream = whole()

        def decompress(self, data, most):
            asked.append(most)
            return self._stream.decompress(data, most)

    monkeypatch.setattr(chains.zlib, "decompressobj", Watched)
    with pytest.raises(BadInput, match="too long"):
        unpack(bomb)
    assert asked == [chains.MOST_UNPACKED + 1]


def lines_of(chain):
    return [chain.header, *(row.content for row in chain.rows)]


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        (1, '"seq":1', '"seq":2'),
        (1, '"session":"game-1"', '"session":"game-2"'),
        (2, '"id":"e2"', '"id":"e1"'),
        (1, '"id":"e1"', '"id":"../e1"'),
        (1, '"seq":1', '"seq": 1'),
        (1, '"source":"tablet"', '"source":"ghost"'),
        (1, '"seq":1', '"hash":"00","seq":1'),
        (0, '"session":"game-1"', '"session":"game 1"'),
        (0, '"p1"', '"p1","p2/"'),
    ],
)
def test_a_game_that_no_table_writes_is_refused(line, old, new):
    lines = lines_of(chain_of(QUICK))
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new)
    header, *contents = lines
    with pytest.raises(BadInput, match="can't be understood"):
        unpack(pack(header, [Row(0, "", content, "") for content in contents]))


def with_reading(text):
    """A packed game whose first entry comes from a reading that says this of something."""
    header, *contents = lines_of(chain_of(QUICK))
    contents[0] = contents[0].replace('"reading":null', f'"reading":{{"said":{text}}}')
    return pack(header, [Row(0, "", content, "") for content in contents]), contents


@pytest.mark.parametrize(
    "text",
    ["0.93", "-0.0", "1e+22", "1e-07", "9007199254740993", str(10**30), '"\\u00e4"', '"\\u007f"', '"a\\"b"', '"1e22"'],
)
def test_text_as_the_standard_library_writes_it_is_the_text_that_was_hashed(text):
    assert json.dumps(json.loads(text)) == text
    data, contents = with_reading(text)
    assert [row.content for row in unpack(data).rows] == contents


@pytest.mark.parametrize(
    "text",
    [
        "1e22",
        "1E5",
        "0.930",
        "-0",
        "1e400",
        "NaN",
        "0e0",
        '"\x7f"',
        '"\\u0041"',
        '"\t"',
        '{"b":1,"a":2}',
        '{"a":1,"a":1}',
    ],
)
def test_text_that_is_written_otherwise_is_refused(text):
    """Other companions would export the game with other hashes."""
    data, _contents = with_reading(text)
    with pytest.raises(BadInput, match="can't be understood"):
        unpack(data)


@pytest.mark.parametrize(("old", "new"), [("}\n", "}\n\n"), ('":', '":\n'), ("}\n{", "}{")])
def test_each_entry_has_one_line(old, new):
    text = "\n".join(lines_of(chain_of(QUICK)))
    with pytest.raises(BadInput, match="can't be understood"):
        unpack(zlib.compress(text.replace(old, new, 3).encode()))


def test_a_game_goes_on_is_corrected_late_and_forks():
    played = chain_of(QUICK)
    n = len(played.rows)
    ahead = chain_of(QUICK, cut=-1)
    corrected = chain_of(QUICK, more=[struck(n + 1, n)])
    otherwise = chain_of(QUICK, more=[struck(n + 1, n, name="other")])
    assert relation(played.hashes, played.hashes) is Relation.SAME
    assert relation(ahead.hashes, played.hashes) is Relation.LONGER
    assert relation(played.hashes, corrected.hashes) is Relation.LONGER
    assert relation(corrected.hashes, played.hashes) is Relation.OLDER
    assert relation(corrected.hashes, otherwise.hashes) is Relation.FORK
    assert relation(played.hashes, chain_of(QUICK, cut=0).hashes) is Relation.OLDER


def test_a_game_withheld_leaves_a_gap():
    chain = chain_of(QUICK)
    first = envelope_of(chain)
    second = envelope_of(chain, before=first)
    third = envelope_of(chain, before=second)
    assert (first.n, second.n, third.n) == (1, 2, 3)
    assert (second.previous, third.previous) == (digest(first.text), digest(second.text))
