"""The photo finish: presses in their order, each with its place on the axis and its margin."""

from companion.game.charts import PhotoFinish, Press


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


def test_presses_that_stand_close_are_drawn_once_more_and_larger():
    whole = PhotoFinish("", tuple(Press(name, name, at_us) for name, at_us in (("ann", 0), ("bob", 4), ("cy", 1000))))
    (inset,) = whole.insets
    assert [(press.name, place) for press, place, _ in inset.finish] == [("ann", 0.0), ("bob", 1.0)]
    assert (whole.span_us, inset.span_us) == (1000, 4)


def test_presses_far_apart_or_at_one_moment_need_no_second_look():
    assert PhotoFinish("", (Press("a", "a", 0), Press("b", "b", 500), Press("c", "c", 1000))).insets == ()
    assert PhotoFinish("", (Press("a", "a", 0), Press("b", "b", 0), Press("c", "c", 1000))).insets == ()
    assert PhotoFinish("", ()).insets == ()
