"""The count in a table's questions to its hub: it rises whatever any clock says, so nobody asks one again.

A question has 32 hexadecimal digits: the count, and some that nobody can guess. Versions that do not count have chance
in all of them; one of their questions in 2^44 reads as a count, and 200 tables ask so many in 14,000 years.
"""

import secrets

COUNT_DIGITS, CHANCE_DIGITS = 20, 12
MOST_AHEAD = 1 << 36  # No table has so many questions to leap over: they are ten thousand years of its own.
LEAP = 256  # So far ahead both sides write down what is used up, in place of a write for each question.


def challenge_of(count: int) -> str:
    """What a table asks its hub to sign; never the same twice."""
    return f"{count:0{COUNT_DIGITS}x}{secrets.token_hex(CHANCE_DIGITS // 2)}"


def count_of(challenge: str, mark: int = 0) -> int | None:
    """The count in a question, None for a version that does not count: it would be far above the mark."""
    count = int(challenge[:COUNT_DIGITS], 16)
    return count if count < mark + MOST_AHEAD else None
