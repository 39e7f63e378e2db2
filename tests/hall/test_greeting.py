"""How a table knows its hub again."""

import json

import msgspec
import pytest

from companion.errors import BadInput, NotAllowed
from companion.letters.greeting import LONGEST_CHALLENGE, greet, new_challenge, read_greeting
from companion.letters.keys import Key
from tests.hall.letters import KEY, OTHER_KEY


def answer(challenge, key=KEY, **more):
    return json.dumps([{**msgspec.to_builtins(greet(key, challenge, "", 1883)), **more}]).encode()


def test_a_hub_says_who_it_is_and_where_its_broker_is():
    challenge = new_challenge()
    greeting = read_greeting(answer(challenge), challenge, KEY.id)
    assert (greeting.id, greeting.mqtt_host, greeting.mqtt_port) == (KEY.id, "", 1883)


def test_no_challenge_comes_twice():
    assert len({new_challenge() for _number in range(50)}) == 50


def test_another_hub_at_the_same_address_is_noticed():
    challenge = new_challenge()
    with pytest.raises(NotAllowed, match="Another hub"):
        read_greeting(answer(challenge, OTHER_KEY), challenge, KEY.id)


def test_an_answer_that_was_recorded_does_not_count():
    with pytest.raises(NotAllowed):
        read_greeting(answer(new_challenge()), new_challenge(), KEY.id)


def test_a_broker_that_somebody_else_named_does_not_count():
    challenge = new_challenge()
    with pytest.raises(NotAllowed):
        read_greeting(answer(challenge, mqtt_host="evil.example"), challenge, KEY.id)


def test_a_key_that_is_not_its_name_does_not_count():
    challenge = new_challenge()
    with pytest.raises(BadInput):
        read_greeting(answer(challenge, OTHER_KEY, id=KEY.id), challenge, KEY.id)


@pytest.mark.parametrize("said", [b"", b"[]", b"{}", b"[{}]", b"[1,2]", b"\xff", b"[" * 9999])
def test_nonsense_is_one_sentence(said):
    with pytest.raises(BadInput, match="nobody can read"):
        read_greeting(said, "00", "")


@pytest.mark.parametrize("challenge", ["x" * (LONGEST_CHALLENGE + 1), "ä"])
def test_a_hub_signs_no_long_questions(challenge):
    with pytest.raises(BadInput):
        greet(Key(bytes(32)), challenge, "", 0)
