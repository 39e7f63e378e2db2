"""The count in a table's questions to its hub: it rises whatever any clock says, so nobody asks one again.

A question has 32 hexadecimal digits: the count, and as many that nobody can guess. Versions that do not count have
chance in all of them, and begin with so many zeros once in millions of years.
"""

import secrets

COUNT_DIGITS = CHANCE_DIGITS = 16
MOST = 1 << 40
LEAP = 256  # So far ahead both sides write down what is used up, in place of a write for each question.


def challenge_of(count: int) -> str:
    """What a table asks its hub to sign; never the same twice."""
    return f"{count:0{COUNT_DIGITS}x}{secrets.token_hex(CHANCE_DIGITS // 2)}"


def count_of(challenge: str) -> int | None:
    """The count in a question, None for a version that does not count."""
    count = int(challenge[:COUNT_DIGITS], 16)
    return count if count < MOST else None
