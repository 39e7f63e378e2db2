"""What a hub has for a table: asked and answered with signatures, so that nobody else hears it or says it."""

import msgspec
import pytest

from companion.errors import BadInput, NotAllowed
from companion.letters.errand import Answer, answer, ask, read_errand, read_question
from companion.letters.keys import Key
from companion.letters.offer import Errand, Offer, Player
from tests.hall.letters import KEY, OTHER_KEY, public_of

HUB, OTHER_HUB = Key(bytes(range(2, 34))), Key(bytes(range(3, 35)))
CHALLENGE = "ab" * 16
HAS = Errand(
    offer=Offer(
        session="s1",
        title="Autumn Cup",
        round=1,
        number=3,
        game="stack_dice",
        preset="tournament",
        players=(Player(id="p1", name="Ann"), Player(id="p2", name="Björn")),
    )
)


def said(key=HUB, table=KEY, challenge=CHALLENGE, has=HAS):
    return msgspec.json.encode(answer(key, read_question(ask(table, challenge), public_of), has))


def test_a_table_hears_what_its_hub_has_for_it():
    assert read_errand(said(), KEY.id, CHALLENGE, HUB.id) == HAS
    assert read_errand(said(has=Errand()), KEY.id, CHALLENGE, HUB.id) == Errand()


def test_only_an_enrolled_table_is_told():
    with pytest.raises(NotAllowed, match="Enrol"):
        read_question(ask(OTHER_KEY, CHALLENGE), public_of)
    forged = msgspec.json.decode(ask(OTHER_KEY, CHALLENGE)) | {"key": KEY.id}
    with pytest.raises(NotAllowed, match="signature"):
        read_question(msgspec.json.encode(forged), public_of)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b"[" * 999, b" " * 9999])
def test_a_question_that_no_table_asks(data):
    with pytest.raises(BadInput):
        read_question(data, public_of)


def test_an_answer_counts_once_for_one_table_and_from_its_own_hub():
    for data, table, challenge, pinned in (
        (said(), KEY.id, "cd" * 16, HUB.id),  # of an earlier question
        (said(), OTHER_KEY.id, CHALLENGE, HUB.id),  # for another table
        (said(OTHER_HUB), KEY.id, CHALLENGE, HUB.id),
        (said(), KEY.id, CHALLENGE, ""),  # before the table has met its hub
    ):
        with pytest.raises(NotAllowed):
            read_errand(data, table, challenge, pinned)


def test_an_answer_that_was_changed():
    answer = msgspec.json.decode(said(), type=Answer)
    changed = msgspec.structs.replace(answer, errand=answer.errand.replace("Ann", "Eve"))
    with pytest.raises(NotAllowed, match="signature"):
        read_errand(msgspec.json.encode(changed), KEY.id, CHALLENGE, HUB.id)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"errand":"{}"}', b"\xff", b"[" * 9999])
def test_an_answer_that_nobody_can_read(data):
    with pytest.raises(BadInput, match="nobody can read"):
        read_errand(data, KEY.id, CHALLENGE, HUB.id)
