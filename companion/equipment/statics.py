"""Statics: a proof by the law of the lever that the stack on each card stands.

A stack stands when pushing forces at the ends of the contact areas can carry each block's weight without turning it.
A small linear programme in exact fractions decides whether such forces exist. Each contact area is narrowed by a margin
on both sides, since people do not build exactly.
"""

from collections.abc import Sequence
from fractions import Fraction

from companion.equipment.deck import Block

MARGIN_MM = 4  # People put a block down 1 to 3 mm beside its place.
WEIGHT = Fraction(1)  # All blocks are equal.


def stands(blocks: Sequence[Block], margin_mm: float = MARGIN_MM) -> bool:
    """Whether there are forces that hold every block in balance."""
    forces = [
        (upper, lower, place) for upper, lower, places in touching(blocks, Fraction(margin_mm)) for place in places
    ]
    rows: list[list[Fraction]] = []
    loads: list[Fraction] = []
    for number, block in enumerate(blocks):
        signs = [Fraction((upper == number) - (lower == number)) for upper, lower, _ in forces]
        centre = Fraction(block.left_mm) + Fraction(block.width_mm) / 2
        rows.append(signs)  # The forces from below less those from above equal the weight.
        loads.append(WEIGHT)
        rows.append([sign * (place - centre) for sign, (_, _, place) in zip(signs, forces, strict=True)])
        loads.append(Fraction(0))  # There is no torque.
    return has_solution(rows, loads)


def touching(blocks: Sequence[Block], margin_mm: Fraction) -> list[tuple[int, int | None, tuple[Fraction, Fraction]]]:
    """Contacts: (upper block, lower block or None for the table, the two ends of the contact area less the margin)."""
    contacts: list[tuple[int, int | None, tuple[Fraction, Fraction]]] = []
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
                contacts.append((upper, lower, (start, end)))
    return contacts


def has_solution(rows: Sequence[Sequence[Fraction]], loads: Sequence[Fraction]) -> bool:
    """Whether an x ≥ 0 exists with row · x = load for each row (loads ≥ 0): the first phase of the simplex method.

    By Bland's rule the smallest index enters and leaves, so it terminates; fractions are never rounded.
    """
    unknowns = len(rows[0]) if rows else 0
    table = [[*row, load] for row, load in zip(rows, loads, strict=True)]
    basis = [unknowns + number for number in range(len(table))]  # There is one artificial unknown for each row.
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
