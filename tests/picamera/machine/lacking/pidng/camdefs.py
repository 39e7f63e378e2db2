"""See the package."""


class Picamera2Camera:
    """Describes nothing."""
