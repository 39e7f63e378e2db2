"""Pictures of rectangles as paths of SVG."""

from functools import lru_cache

from companion.game.charts import Picture, Shape

CACHED = 1024  # A page has some 45 pictures, and shows them again and again.


@lru_cache(CACHED)
def paths(shapes: tuple[Shape, ...]) -> tuple[tuple[int, str], ...]:
    """(tone, the path of all rectangles of that tone), the lightest first."""
    tones = sorted({shape.tone for shape in shapes})
    return tuple((tone, "".join(_rectangle(shape) for shape in shapes if shape.tone == tone)) for tone in tones)


def view_box(picture: Picture) -> str:
    """The part of the drawing that is shown: all of it with its edges, and the ground line where there is one."""
    edge, ground = (2.0, 2.0) if picture.stands else (0.1, 0.0)
    width, height = picture.width + 2 * edge, picture.height + 2 * edge + ground
    return " ".join(f"{round(each, 1):g}" for each in (-edge, -edge, width, height))


def _rectangle(shape: Shape) -> str:
    sides = (shape.left, shape.top, shape.width, shape.height)
    left, top, width, height = (f"{round(side, 1) + 0.0:g}" for side in sides)  # never "-0"
    return f"M{left} {top}h{width}v{height}h-{width}z"
