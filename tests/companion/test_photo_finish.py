"""The photo finish: presses in their order, each with its place on the axis and its margin."""

from companion.widgets import PhotoFinish, Press


def finish(**pressed_us: int) -> list[tuple[str, float, int]]:
    presses = tuple(Press(name, name, at_us) for name, at_us in pressed_us.items())
    return [(press.name, place, after) for press, place, after in PhotoFinish("", presses).finish]


def test_presses_stand_between_the_first_and_the_last_by_how_much_each_came_later():
    assert finish(bob=31_204_000, ann=31_200_000, cy=31_216_000) == [
        ("ann", 0.0, 0),
        ("bob", 0.25, 4_000),
        ("cy", 1.0, 12_000),
    ]


def test_presses_at_one_moment_and_no_press_at_all_are_no_special_cases():
    assert finish(ann=5, bob=5) == [("ann", 0.0, 0), ("bob", 0.0, 0)]
    assert finish() == []
