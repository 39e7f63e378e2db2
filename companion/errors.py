"""Everything refused on purpose. Each message is one sentence for the person holding the die."""


class CompanionError(Exception):
    """Base of everything refused on purpose: what is wrong, then what to do."""

    @property
    def sentence(self) -> str:
        """The message as it was given: unlike str(…), it can be `retold` in another language."""
        sentence: str = self.args[0]
        return sentence


class IllegalEvent(CompanionError):
    """The rules do not allow this now."""


class StaleEvent(CompanionError):
    """Prepared for a state that has moved on."""


class NotAllowed(CompanionError):
    """Only somebody else may do this."""


class TooManyTries(CompanionError):
    """Somebody guesses, or asks for too much: wait."""


class TooMany(CompanionError):
    """There is no room for more of them now."""


class BadInput(CompanionError):
    """Not understood: a value of the wrong kind, too long, or unknown."""


class CornersWanted(BadInput):
    """A photo of a board can be read once a person has tapped the board's corners in it."""


class NotFound(CompanionError):
    """No such game, entry, picture or file."""


class GameUnreadable(CompanionError):
    """A game of the journal cannot be folded by this version; it is kept as it is."""


class JournalUnusable(CompanionError):
    """The journal cannot be read or written; nothing in it was changed."""


class CameraUnavailable(CompanionError):
    """No picture can be had."""


class HardwareUnavailable(CompanionError):
    """A button, light or buzzer named in table.toml cannot be used."""
