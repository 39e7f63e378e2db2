"""A stand-in for the helper that looks after the Wi-Fi: a state, and what it was asked to do."""

from companion.errors import HardwareUnavailable
from companion.network.wifi.door import Do
from companion.network.wifi.values import Mode, Network, Security, State

PASSWORD = "abcd-efgh-jkmn"


class Helper:
    """In the place of `Wifi`, the service's end of the socket."""

    def __init__(self, networks: tuple[Network, ...] = ()) -> None:
        self.state = State(Mode.SETUP, PASSWORD, networks)
        self.asked: list[tuple[Do, bytes, str]] = []
        self.is_there = self.answers = True

    def ask(self, do: Do, ssid: bytes = b"", password: str = "") -> State:
        if not self.answers:
            raise HardwareUnavailable("It doesn't answer.")
        if do not in (Do.TELL, Do.VISIT):
            self.asked.append((do, ssid, password))
        return self.state


def helper_of(names: tuple[str, ...]) -> Helper:
    """One that hears a network of each kind, under these names."""
    kinds = (Security.PASSWORD, Security.OPEN, Security.OTHER, Security.PASSWORD_3)
    heard = zip(names, kinds, (80, 50, 40, 10), strict=False)
    return Helper(tuple(Network(name.encode()[:32], signal, kind) for name, kind, signal in heard))
