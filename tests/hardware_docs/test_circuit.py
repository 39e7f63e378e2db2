"""The circuit keeps the electrical rules, and each rule is one that a circuit can break."""

import re
from dataclasses import replace

import pytest

from companion.app.cli.wiring import circuit as schematic
from companion.app.cli.wiring.circuit import Kind, circuit, netlist, nets
from firmware.plan import BuzzerPin, Pull, SeatPins, plan_from, usual_plan
from hardware.tools import rules

FOUR = usual_plan(4)


def without(kind, at=0):
    parts = circuit(FOUR)
    gone = [part for part in parts if part.kind is kind][at]
    return tuple(part for part in parts if part is not gone)


def rewired(kind, **pins):
    parts = circuit(FOUR)
    found = next(part for part in parts if part.kind is kind)
    new = {pin.removeprefix("pin_"): net for pin, net in pins.items()}
    return tuple(replace(part, pins=part.pins | new) if part is found else part for part in parts)


@pytest.mark.parametrize("pull", Pull)
@pytest.mark.parametrize("seats", range(2, 9))
def test_the_usual_box_keeps_every_rule(seats, pull):
    plan = replace(usual_plan(seats), pull=pull)
    assert rules.troubles(circuit(plan), plan) == []


def test_a_box_of_seats_alone_keeps_every_rule():
    plan = plan_from({"seat": [{"button": 17, "led": 23}, {"button": 27, "led": 24}]})
    assert rules.troubles(circuit(plan), plan) == []
    assert {part.kind for part in circuit(plan)}.isdisjoint({Kind.TABLE_PLUG, Kind.BUZZER, Kind.STATUS_LED})


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (without(Kind.PULL_NETWORK), "GPIO17 of a button is not pulled."),
        (without(Kind.KILOHM), "GPIO17 of a button has nothing between it and the cable."),
        (without(Kind.TVS), "SEAT1_BUTTON has nothing against static."),
        (without(Kind.DRIVER), "GPIO18 drives nothing."),
        (without(Kind.SEAT_PLUG), "SEAT1_LED has no plug."),
        (without(Kind.LED_RESISTOR), "The net SEAT1_LED_OUT ends at U1 18 and leads nowhere."),
        (rewired(Kind.PI, pin_11="5V"), "Position 11 of the header has 5V."),
        (rewired(Kind.DRIVER, pin_17="SEAT1_LED_OUT"), "The net SEAT1_LED_OUT has two outputs."),
        (rewired(Kind.KILOHM, pin_2="GPIO17"), "R1 joins GPIO17 to itself."),
        ((*circuit(FOUR), circuit(FOUR)[-1]), "2 parts are called BZ1."),
    ],
)
def test_a_broken_circuit_is_told_of(parts, sentence):
    assert sentence in rules.troubles(parts, FOUR)


@pytest.mark.parametrize(
    ("kind", "ohms", "sentence"),
    [
        (Kind.LED_RESISTOR, 680, "A blue LED has 1.9 to 3.9 mA."),  # (4.75 - 0.15 - 3.3) V / 680 ohm
        (Kind.LED_RESISTOR, 100, "A red LED has 23.0 to 35.5 mA."),  # (5.25 - 1.7) V / 100 ohm
        (Kind.KILOHM, 100, "5 V on a button's cable drive 13.5 mA into its pin."),
        (Kind.KILOHM, 100, "A button's pin that is made an output carries 33.0 mA."),
        (Kind.PULL_NETWORK, 330, "All pins together carry 74 mA at 3.3 V."),  # 7 × 10 mA and 8 × 0.5 mA
    ],
)
def test_a_wrong_value_is_told_of(monkeypatch, kind, ohms, sentence):
    monkeypatch.setitem(schematic.OHMS, kind, ohms)
    assert sentence in rules.troubles(circuit(FOUR), FOUR)


def test_a_light_on_a_pin_that_rests_high_is_told_of():
    plan = replace(FOUR, seats=(SeatPins(17, 4), *FOUR.seats[1:]), buzzer=BuzzerPin(18))
    (trouble,) = rules.troubles(circuit(plan), plan)
    assert trouble == "GPIO4 is pulled up from power-on, so SEAT1_LED is on until the service runs."


def test_no_cable_has_a_supply():
    parts = circuit(usual_plan(8))
    plugs = [part for part in parts if part.kind in (Kind.SEAT_PLUG, Kind.TABLE_PLUG)]
    assert len(plugs) == 9
    assert list(plugs[2].pins.values()) == ["SEAT3_LED", "SEAT3_BUTTON", "GND"]
    assert {net for plug in plugs for net in plug.pins.values()}.isdisjoint({"5V", "3V3"})
    assert all(
        set(part.pins.values()).isdisjoint({"5V", "3V3"}) for part in parts if part.at not in ("board", "the Pi")
    )


def read_expression(text):
    """An S-expression as nested lists."""
    stack = [[]]
    for word in re.findall(r'[()]|"[^"]*"|[^\s()]+', text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word.strip('"'))
    ((whole,),) = stack
    return whole


def test_the_netlist_says_what_the_circuit_joins():
    kind, _version, (_, *components), (_, *listed) = read_expression(netlist(circuit(FOUR)))
    assert kind == "export"
    assert {comp[1][1]: comp[2][1] for comp in components} == {part.ref: str(part.kind) for part in circuit(FOUR)}
    said = {net[2][1]: {(node[1][1], node[2][1]) for node in net[3:]} for net in listed}
    assert said["SEAT1_LED"] == {("R8", "2"), ("J3", "1"), ("LED1", "A")}
    assert said == {net: set(pins) for net, pins in nets(circuit(FOUR)).items()}


def test_every_device_hangs_on_its_pin_through_the_board():
    """As the box is wired: followed from each pin of the plan over board and plug to its device."""
    parts = {part.ref: part for part in circuit(FOUR)}
    joined = nets(tuple(parts.values()))
    over = {Kind.DRIVER: lambda pin: str(19 - int(pin)), Kind.KILOHM: lambda pin: "2", Kind.LED_RESISTOR: lambda _: "2"}
    for gpio, device in ((17, "S1"), (5, "S4"), (6, "S5"), (19, "S7"), (23, "LED1"), (20, "LED0")):
        net, reached = f"GPIO{gpio}", set()
        for _step in range(3):
            for ref, pin in joined[net]:
                reached.add(ref)
                if parts[ref].kind in over and parts[ref].pins[pin] == net and over[parts[ref].kind](pin) != pin:
                    beyond = parts[ref].pins[over[parts[ref].kind](pin)]
            net = beyond
            reached |= {ref for ref, _pin in joined[net]}
        assert device in reached, gpio
