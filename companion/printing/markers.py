"""ArUco markers as vectors."""

import cv2

MODULES = 6  # The code has four, and its black frame two.


def marker(dictionary: str, number: int, x_mm: float, y_mm: float, side_mm: float, deep_mm: float | None = None) -> str:
    """The SVG of a marker, without the white margin, for which the paper serves.

    x_mm, y_mm  its upper left corner
    deep_mm     its depth if it is to be stretched

    It is a black square with its white modules as one path, so that no line shows between them.
    """
    deep_mm = side_mm if deep_mm is None else deep_mm
    tags = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    draw = getattr(cv2.aruco, "generateImageMarker", None) or cv2.aruco.drawMarker  # type: ignore[attr-defined]  # before OpenCV 4.7
    side, deep = side_mm / MODULES, deep_mm / MODULES
    white = "".join(
        f"M{x_mm + column * side:.3f} {y_mm + row * deep:.3f}h{side:.3f}v{deep:.3f}h{-side:.3f}z"
        for row, modules in enumerate(draw(tags, number, MODULES))
        for column, module in enumerate(modules)
        if module
    )
    square = f'<rect x="{x_mm:.3f}" y="{y_mm:.3f}" width="{side_mm:g}" height="{deep_mm:g}" fill="#000000"/>'
    return f'{square}<path d="{white}" fill="#ffffff"/>'
