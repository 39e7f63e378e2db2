"""See the package."""


class PICAM2DNG:
    """Writes nothing."""
