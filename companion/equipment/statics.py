"""Whether a stack of blocks stands: a proof for every card of the deck, by the laws of the lever alone.

A stack stands when each block can be held in balance: forces that only push, at the ends of the places where blocks
touch, carry its weight and do not turn it. Such forces exist or do not; a small linear programme in exact fractions
decides it. The places are taken narrower by a margin on both sides, so that a hand need not be exact.
"""

from collections.abc import Sequence
from fractions import Fraction

from companion.equipment.deck import Block

MARGIN_MM = 4  # people put a block down 1 to 3 mm beside where they mean it
WEIGHT = Fraction(1)  # all blocks are alike


def stands_while_built(blocks: Sequence[Block], margin_mm: float = MARGIN_MM) -> bool:
    """Whether the stack stands after each of its blocks is put down."""
    return all(stands(blocks[:count], margin_mm) for count in range(1, len(blocks) + 1))


def stands(blocks: Sequence[Block], margin_mm: float = MARGIN_MM) -> bool:
    """Whether forces exist that hold every block in balance."""
    forces = [
        (upper, lower, place) for upper, lower, places in touching(blocks, Fraction(margin_mm)) for place in places
    ]
    rows: list[list[Fraction]] = []
    loads: list[Fraction] = []
    for number, block in enumerate(blocks):
        signs = [Fraction((upper == number) - (lower == number)) for upper, lower, _ in forces]
        centre = Fraction(block.left_mm) + Fraction(block.width_mm) / 2
        rows.append(signs)  # what pushes from below less what presses from above is the weight
        loads.append(WEIGHT)
        rows.append([sign * (place - centre) for sign, (_, _, place) in zip(signs, forces, strict=True)])
        loads.append(Fraction(0))  # and nothing turns it
    return has_solution(rows, loads)


def touching(blocks: Sequence[Block], margin_mm: Fraction) -> list[tuple[int, int | None, tuple[Fraction, Fraction]]]:
    """(upper block, lower block or None for the table, the two ends of what they share less the margin)."""
    found: list[tuple[int, int | None, tuple[Fraction, Fraction]]] = []
    for upper, block in enumerate(blocks):
        left, right = Fraction(block.left_mm), Fraction(block.right_mm)
        below: list[tuple[int | None, Fraction, Fraction]] = [
            (lower, Fraction(other.left_mm), Fraction(other.right_mm))
            for lower, other in enumerate(blocks)
            if other.top_mm == block.bottom_mm
        ]
        if block.bottom_mm == 0:
            below.append((None, left, right))
        for lower, other_left, other_right in below:
            start, end = max(left, other_left) + margin_mm, min(right, other_right) - margin_mm
            if start <= end:
                found.append((upper, lower, (start, end)))
    return found


def has_solution(rows: Sequence[Sequence[Fraction]], loads: Sequence[Fraction]) -> bool:
    """Whether some x ≥ 0 makes each row · x its load (loads ≥ 0): the first phase of the simplex method.

    The smallest index enters and leaves (Bland's rule), so it ends; fractions, so nothing is rounded.
    """
    unknowns = len(rows[0]) if rows else 0
    table = [[*row, load] for row, load in zip(rows, loads, strict=True)]
    basis = [unknowns + number for number in range(len(table))]  # one artificial unknown a row, to be driven out
    missing = [sum(column, Fraction(0)) for column in zip(*table, strict=True)]
    while True:
        entering = next((column for column in range(unknowns) if missing[column] > 0), None)
        if entering is None:
            return missing[-1] == 0
        ratios = [
            (row[-1] / row[entering], basis[number], number) for number, row in enumerate(table) if row[entering] > 0
        ]
        leaving = min(ratios)[2]
        pivot = [value / table[leaving][entering] for value in table[leaving]]
        table[leaving], basis[leaving] = pivot, entering
        for number, row in enumerate(table):
            if number != leaving and row[entering]:
                table[number] = [value - row[entering] * by for value, by in zip(row, pivot, strict=True)]
        missing = [value - missing[entering] * by for value, by in zip(missing, pivot, strict=True)]
