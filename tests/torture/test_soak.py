"""The soak's judge and its graph; the soak itself is `make soak`."""

import xml.etree.ElementTree as ElementTree

import pytest

from tests.torture.soak import TITLES, Record, graph

FLAT = [50.0] * 40


def recorded(**changed):
    record = Record()
    for second in range(40):
        record.add(second, **{name: changed.get(name, FLAT)[second] for name in TITLES})
    return record


@pytest.mark.parametrize("name", TITLES)
def test_what_goes_on_growing_is_found_and_what_is_flat_is_flat(name):
    growing = [50.0 + 2 * second for second in range(40)]
    grown_at_first = [50.0 + 2 * min(second, 15) for second in range(40)]
    assert recorded().growth(name) == (50.0, 50.0, True)
    assert recorded(**{name: grown_at_first}).growth(name)[2]
    assert not recorded(**{name: [3 * value for value in growing]}).growth(name)[2] or name == "latency_ms"


def test_a_latency_that_doubles_is_found():
    assert not recorded(latency_ms=[50.0] * 30 + [100.0] * 10).growth("latency_ms")[2]


def test_the_graph_has_a_curve_for_each_quantity():
    drawn = ElementTree.fromstring(graph(recorded(), "an evening"))
    curves = [element for element in drawn.iter() if element.tag.endswith("polyline")]
    assert [len(curve.get("points").split()) for curve in curves] == [40] * len(TITLES)
