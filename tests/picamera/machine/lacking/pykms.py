"""In place of the module that draws on a screen without a desktop: picamera2 imports it, the product never draws."""


class Nothing:
    """Whatever is looked for in it is it itself."""

    def __getattr__(self, name: str) -> "Nothing":
        return self


def __getattr__(name: str) -> Nothing:
    if name.startswith("__"):
        raise AttributeError(name)
    return Nothing()
