"""The table's name in the network, on a network that is made up."""

import pytest

from companion.network.mdns import Announcer, Zeroconf, claim_name, url

OURS = "192.168.1.20"


class Network:
    """Who answers to which name; a responder for each address of ours."""

    def __init__(self, **others):
        self.names = {label.replace("_", "-"): {address} for label, address in others.items()}
        self.closed = 0

    def __call__(self, addresses):
        return Responder(self, addresses)


class Responder:
    def __init__(self, network, addresses):
        self.network, self.addresses, self.label = network, set(addresses), None

    def holders(self, label):
        return set(self.network.names.get(label, ()))

    def claim(self, label, port):
        self.label = label
        self.network.names.setdefault(label, set()).update(self.addresses)
        return True

    def close(self):
        self.network.closed += 1
        if self.label:
            self.network.names[self.label] -= self.addresses


def announcer(network, told, addresses=(OURS,), port=80):
    here = list(addresses)
    found = Announcer(port, told.append, open_responder=network, addresses=lambda: tuple(here))
    return found, here


def test_the_first_table_is_table_local():
    told = []
    table, _ = announcer(Network(), told)
    table.look()
    assert told == [("http://table.local", "http://192.168.1.20")]


def test_the_second_table_settles_as_table_2():
    told = []
    table, _ = announcer(Network(table="192.168.1.7"), told)
    table.look()
    assert (table.name, told[0][0]) == ("table-2", "http://table-2.local")


def test_the_third_table_settles_as_table_3():
    table, _ = announcer(Network(table="192.168.1.7", table_2="192.168.1.8"), [])
    table.look()
    assert table.name == "table-3"


def test_our_own_old_answer_takes_no_name_from_us():
    table, _ = announcer(Network(table=OURS), [])
    table.look()
    assert table.name == "table"


def test_a_name_that_is_refused_at_the_last_moment_is_not_taken():
    class Late(Responder):
        def claim(self, label, port):
            return label != "table" and super().claim(label, port)

    assert claim_name(Late(Network(), [OURS]), [OURS], 80) == "table-2"


def test_where_every_name_is_taken_there_is_none():
    class Full(Responder):
        def claim(self, label, port):
            return False

    assert claim_name(Full(Network(), [OURS]), [OURS], 80) is None


def test_nothing_is_done_while_nothing_changes():
    network, told = Network(), []
    table, _ = announcer(network, told)
    for _ in range(3):
        table.look()
    assert (len(told), network.closed) == (1, 0)


def test_a_network_that_comes_later_is_found():
    network, told = Network(), []
    table, here = announcer(network, told, addresses=())
    table.look()
    assert told == [()]
    here.append("10.42.0.1")
    table.look()
    assert told[-1] == ("http://table.local", "http://10.42.0.1")
    assert network.names["table"] == {"10.42.0.1"}


def test_when_two_claimed_one_name_together_the_higher_address_yields():
    network, told = Network(), []
    table, _ = announcer(network, told)
    table.look()
    network.names["table"].add("192.168.1.7")
    table.look()
    assert (table.name, network.names["table"]) == ("table-2", {"192.168.1.7"})


def test_when_two_claimed_one_name_together_the_lower_address_keeps_it():
    network = Network()
    table, _ = announcer(network, [])
    table.look()
    network.names["table"].add("192.168.1.100")
    table.look()
    assert table.name == "table"


def test_a_network_that_fails_stops_nothing():
    def broken(_addresses):
        raise OSError("no such device")

    table = Announcer(80, lambda _: None, open_responder=broken, addresses=lambda: (OURS,))
    table.start()
    table.stop()
    assert table.name is None


def test_a_name_that_is_given_back_since_the_network_fails_is_told_no_more():
    network, told = Network(), []
    table, _ = announcer(network, told)
    table.look()
    table._responder.holders = None  # it cannot even be asked
    table._keep()
    assert (table.name, told[-1], network.names["table"]) == (None, (f"http://{OURS}",), set())


def test_stopping_gives_the_name_back():
    network = Network()
    table, _ = announcer(network, [])
    table.look()
    table.start()
    table.stop()
    assert network.names["table"] == set()


@pytest.mark.parametrize(("port", "shown"), [(80, "http://table.local"), (8000, "http://table.local:8000")])
def test_the_address_as_people_type_it(port, shown):
    assert url("table.local", port) == shown
    assert url("fd12::5", port) == shown.replace("table.local", "[fd12::5]")


def test_the_library_has_what_we_ask_of_it():
    import zeroconf

    for name in ("Zeroconf", "AddressResolverIPv4", "AddressResolverIPv6", "ServiceInfo", "NonUniqueNameException"):
        assert hasattr(zeroconf, name)
    assert {"holders", "claim", "close"} <= set(dir(Zeroconf))
