"""What the newest move changed on a page, marked where it stands: on its boards, and beside everybody's points.

Pure, and the same for every game.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from companion.game.widgets import AnyWidget, Cell, Grid, ScoreTable, Stack, Stacks

NEW = "new"


def with_changes(before: Iterable[AnyWidget], after: Iterable[AnyWidget]) -> tuple[AnyWidget, ...]:
    """The widgets of a page, their boards and points marked where they differ from the same ones of the page before."""
    earlier = [widget for widget in before if isinstance(widget, Grid | Stacks | ScoreTable)]

    def marked(widget: AnyWidget) -> AnyWidget:
        for was in earlier:
            match was, widget:
                case Grid(), Grid() if was.title == widget.title:
                    return changed_squares(was, widget)
                case Stacks(), Stacks() if was.title == widget.title:
                    return changed_stacks(was, widget)
                case ScoreTable(), ScoreTable():
                    return changed_points(was, widget)
        return widget

    return tuple(map(marked, after))


def changed_squares(was: Grid[Any], now: Grid[Any]) -> Grid[Any]:
    """The board with its changed squares marked; one of another size is another board."""
    if [len(row) for row in was.rows] != [len(row) for row in now.rows]:
        return now

    def marked(old: Cell[Any], new: Cell[Any]) -> Cell[Any]:
        is_same = (old.text, old.colour, old.layers) == (new.text, new.colour, new.layers)
        return new if is_same else replace(new, mark=NEW)

    return replace(
        now,
        rows=tuple(tuple(map(marked, old, new)) for old, new in zip(was.rows, now.rows, strict=True)),
    )


def changed_stacks(was: Stacks[Any], now: Stacks[Any]) -> Stacks[Any]:
    """The stacks, those marked that did not stand like this before."""
    left = Counter((stack.value, stack.layers) for stack in was.stacks)

    def marked(stack: Stack[Any]) -> Stack[Any]:
        key = (stack.value, stack.layers)
        left[key] -= 1
        return stack if left[key] >= 0 else replace(stack, mark=NEW)

    return replace(now, stacks=tuple(map(marked, now.stacks)))


def changed_points(was: ScoreTable, now: ScoreTable) -> ScoreTable:
    """The points, with what each line has gained."""
    before = {line.player: line.points for line in was.lines}
    return replace(
        now, lines=tuple(replace(line, gain=line.points - before.get(line.player, line.points)) for line in now.lines)
    )
