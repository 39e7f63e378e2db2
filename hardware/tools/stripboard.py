"""The board for those who solder by hand, on stripboard: laid out from the circuit, and checked against it.

Strips run from left to right. A light's strip leads from the Pi through driver and resistor to its line, a button's
through its network and resistor; beyond PLUGS_CUT lie the plugs, to which links lead. Seen from the parts' side.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from companion.app.cli.wiring.circuit import BOARD, GROUND, HIGH, LOW, OHMS, PI, Kind, Part, circuit
from companion.app.cli.wiring.drawing import FAINT, INK, line, words
from companion.errors import BadInput
from firmware.plan import BoxPlan, Pull

COLUMNS = 31
WIRE, DRIVER, NETWORK, RESISTOR_LONG = 0, (3, 6), 3, 4
DRIVER_CUT, OUTPUT_RESISTOR, BUTTON_RESISTOR = 4, 8, 5
TVS_FIRST, TVS_STEP, PLUGS_CUT, PLUG = 11, 2, 25, 29
LINK_FROM, LINK_TO = (13, 25), (26, 29)
STEP_MM, MARGIN_MM, RIGHT_MM = 5.0, 26.0, 38.0  # on paper, twice as large as it is

Hole = tuple[int, int]
"""Row and column, from 0."""


@dataclass
class Board:
    """Leads in holes, cuts of strips at holes, and links between holes."""

    rows: int
    leads: dict[Hole, tuple[str, str]] = field(default_factory=dict)
    cuts: set[Hole] = field(default_factory=set)
    links: list[tuple[Hole, Hole]] = field(default_factory=list)

    def put(self, hole: Hole, ref: str, pin: str) -> None:
        if hole in self.leads or hole in self.cuts:
            raise ValueError(f"the hole {hole} for {ref} {pin} is taken")
        self.leads[hole] = (ref, pin)

    def link(self, row: int, to_row: int) -> None:
        """A link from the lines to the plugs, or among the lines."""
        taken = set(self.leads) | self.cuts | {hole for link in self.links for hole in link}
        begin = next((row, column) for column in range(*LINK_FROM) if (row, column) not in taken)
        end = next((to_row, column) for column in range(*LINK_TO) if (to_row, column) not in taken)
        self.links.append((begin, end))


def layout(plan: BoxPlan) -> Board:
    """The board of a plan with up to eight outputs and eight buttons to ground; raises BadInput for another."""
    if plan.pull is not Pull.UP:
        raise BadInput('The stripboard is for buttons that connect to ground: set pull = "up".')
    parts = [part for part in circuit(plan) if part.at in (BOARD, PI)]
    of = {kind: [part for part in parts if part.kind is kind] for kind in Kind}
    if len(of[Kind.DRIVER]) > 1 or len(of[Kind.PULL_NETWORK]) > 1:
        raise BadInput("The stripboard has room for eight lights and buzzers and eight buttons: leave some away.")
    plugs = of[Kind.SEAT_PLUG] + of[Kind.TABLE_PLUG]
    network = of[Kind.PULL_NETWORK][0]
    ground_row = 9 + len(network.pins)
    board = Board(max(ground_row + 1, sum(len(plug.pins) + 1 for plug in plugs) - 1))
    home = place_driver(board, of[Kind.DRIVER][0])
    for pin, net in network.pins.items():
        home[net] = 8 + int(pin)
        board.put((home[net], NETWORK), network.ref, pin)
    home[GROUND] = ground_row
    wired: set[str] = set()
    for position, net in of[Kind.PI][0].pins.items():
        if net not in wired:
            wired.add(net)
            board.put((home[net], WIRE), "J1", position)
    column = TVS_FIRST
    for part in parts:
        if part.kind is Kind.TVS:
            row = home[part.pins["1"]]
            board.put((row, column), part.ref, "1")
            board.put((ground_row, column), part.ref, "2")
            column += TVS_STEP
        elif part.kind in OHMS and part.kind is not Kind.PULL_NETWORK and part.pins["2"] != GROUND:
            place_resistor(board, part, home)
    for part in parts:
        if part.kind is Kind.KILOHM and part.pins["2"] == GROUND:  # beside the buzzer, on end
            row = home[part.pins["1"]]
            board.put((row, 14), part.ref, "1")
            board.put((8, 15), part.ref, "2")
    taken = set(board.leads)
    begin = next((8, at) for at in range(*LINK_FROM) if (8, at) not in taken)
    board.links.append((begin, next((ground_row, at) for at in range(*LINK_FROM) if (ground_row, at) not in taken)))
    place_plugs(board, plugs, home)
    return board


def place_driver(board: Board, driver: Part) -> dict[str, int]:
    """Puts the driver on rows 0 to 8; gives the row of each of its nets."""
    home = {}
    for pin, net in driver.pins.items():
        left = int(pin) <= 9
        row = int(pin) - 1 if left else 18 - int(pin)
        board.put((row, DRIVER[0] if left else DRIVER[1]), driver.ref, pin)
        home[net] = row
    board.cuts |= {(row, DRIVER_CUT) for row in range(9)}
    return home


def place_resistor(board: Board, part: Part, home: dict[str, int]) -> None:
    """Lays a resistor along the strip of its first net, which is cut between its legs."""
    row = home[part.pins["1"]]
    column = BUTTON_RESISTOR if row > 8 else OUTPUT_RESISTOR
    board.put((row, column), part.ref, "1")
    board.put((row, column + RESISTOR_LONG), part.ref, "2")
    board.cuts.add((row, column + RESISTOR_LONG // 2))
    home[part.pins["2"]] = row


def place_plugs(board: Board, plugs: Iterable[Part], home: Mapping[str, int]) -> None:
    """Stacks the plugs at the right, cuts them off from the strips, and links each contact with its net."""
    row = 0
    wanted = []
    for plug in plugs:
        for contact, net in plug.pins.items():
            board.put((row, PLUG), plug.ref, contact)
            if home[net] != row:
                if row in home.values():
                    board.cuts.add((row, PLUGS_CUT))
                wanted.append((home[net], row))
            row += 1
        row += 1  # A plug's housing is broader than its contacts.
    for at, to in wanted:
        board.link(at, to)


def strips(board: Board) -> Iterator[frozenset[Hole]]:
    """The holes of each piece of copper."""
    for row in range(board.rows):
        piece: set[Hole] = set()
        for column in range(COLUMNS):
            if (row, column) in board.cuts:
                yield frozenset(piece)
                piece = set()
            else:
                piece.add((row, column))
        yield frozenset(piece)


def joined(board: Board) -> list[set[tuple[str, str]]]:
    """The leads that are connected with each other, followed over copper and links."""
    pieces = [set(piece) for piece in strips(board) if piece]
    for one, other in board.links:
        first = next(piece for piece in pieces if one in piece)
        second = next(piece for piece in pieces if other in piece)
        if first is not second:
            pieces.remove(second)
            first |= second
    groups = [{board.leads[hole] for hole in piece if hole in board.leads} for piece in pieces]
    return [group for group in groups if group]


def troubles(board: Board, parts: tuple[Part, ...]) -> list[str]:
    """Where the board differs from the circuit. Of the Pi's supply and ground pins one each has a wire."""
    net_of = {(part.ref, pin): net for part in parts if part.at in (BOARD, PI) for pin, net in part.pins.items()}
    placed = set(board.leads.values())
    found = [f"{ref} {pin} is not on the board." for ref, pin in net_of if ref != "J1" and (ref, pin) not in placed]
    found += [
        f"{net} has no wire to the Pi." for net in pi_nets(parts) - {net_of[lead] for lead in placed if lead[0] == "J1"}
    ]
    seen: dict[str, int] = {}
    for number, group in enumerate(joined(board)):
        nets = {net_of[lead] for lead in group}
        if len(nets) > 1:
            found.append(f"{' and '.join(sorted(nets))} are connected.")
        for net in nets:
            if seen.setdefault(net, number) != number:
                found.append(f"{net} is in two pieces.")
    ends = [hole for link in board.links for hole in link]
    found += [f"The link at {hole} has no hole." for hole in ends if hole in board.leads or hole in board.cuts]
    found += [f"Two links share {hole}." for hole in set(ends) if ends.count(hole) > 1]
    return found


def pi_nets(parts: tuple[Part, ...]) -> set[str]:
    """The nets that have to come from the Pi."""
    return {net for part in parts if part.kind is Kind.PI for net in part.pins.values()}


NAMES = {HIGH: "5 V", LOW: "3.3 V", GROUND: "ground"}


def drawing(plan: BoxPlan) -> str:
    """The board as an SVG document: strips, cuts, links, parts and where each wire goes."""
    parts = circuit(plan)
    board = layout(plan)
    width = COLUMNS * STEP_MM + MARGIN_MM + RIGHT_MM
    height = board.rows * STEP_MM + 36
    net_of = {(part.ref, pin): net for part in parts for pin, net in part.pins.items()}
    svg = [
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        words(4, 8, "Stripboard, seen from the parts' side", 5.5, weight="bold"),
        words(
            4, 13.5, "Strips run from left to right. Crosses: cut the strip. Blue: links of insulated wire.", 3.2, FAINT
        ),
    ]
    for row in range(board.rows):
        y = at((row, 0))[1]
        svg.append(line(MARGIN_MM, y, MARGIN_MM + (COLUMNS - 1) * STEP_MM, y, "#ecd3b4", 2.6))
        svg.append(words(width - 3, y + 1, str(row + 1), 2.6, FAINT, "end"))
    for row in range(board.rows):
        for column in range(COLUMNS):
            x, y = at((row, column))
            svg.append(f'<circle cx="{x:g}" cy="{y:g}" r="0.5" fill="#ffffff"/>')
    for column in range(0, COLUMNS, 5):
        svg.append(words(at((0, column))[0], 19.4, str(column + 1), 2.6, FAINT, "middle"))
    for begin, end in board.links:
        svg.append(line(*at(begin), *at(end), "#2f6fd0", 0.5))
        svg += [f'<circle cx="{x:g}" cy="{y:g}" r="0.9" fill="#2f6fd0"/>' for x, y in (at(begin), at(end))]
    for x, y in map(at, board.cuts):
        svg += [
            line(x - 1.2, y - 1.2, x + 1.2, y + 1.2, "#c22", 0.6),
            line(x - 1.2, y + 1.2, x + 1.2, y - 1.2, "#c22", 0.6),
        ]
    for part in parts:
        holes = {pin: hole for hole, (ref, pin) in board.leads.items() if ref == part.ref}
        if holes and part.ref != "J1":
            svg += outline(part, holes)
    for hole, (ref, pin) in board.leads.items():
        x, y = at(hole)
        svg.append(f'<circle cx="{x:g}" cy="{y:g}" r="0.9" fill="{INK}"/>')
        net = net_of[ref, pin]
        if ref == "J1":
            svg.append(words(x - 2, y + 1, f"{NAMES.get(net, net)}, pos. {pin}", 2.7, INK, "end"))
        elif hole[1] == PLUG:
            svg.append(words(x + 8, y + 1, f"{ref} {pin}: {NAMES.get(net, net)}", 2.6))
    foot = at((board.rows, 0))[1]
    svg.append(words(4, foot + 4, "Left: wires to the Pi's header. Right: plugs and their contacts.", 3.2))
    svg.append(
        words(
            4,
            foot + 8.4,
            "D stand on end, each to the ground strip. Pin 1 of U1 is at its notch, that of RN1 at its dot.",
            3.2,
        )
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
    return f'{head} viewBox="0 0 {width:g} {height:g}">{"".join(svg)}</svg>\n'


def at(hole: Hole) -> tuple[float, float]:
    """A hole on paper, in mm."""
    return MARGIN_MM + hole[1] * STEP_MM, 23 + hole[0] * STEP_MM


def outline(part: Part, holes: Mapping[str, Hole]) -> list[str]:
    """The body of a part over its holes."""
    points = [at(hole) for hole in holes.values()]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    middle = ((left + right) / 2, (top + bottom) / 2)
    if part.kind is Kind.TVS:
        return [line(left, top, left, bottom, "#7a3fa0", 0.5), words(left + 1, top - 1, part.ref, 2.4, "#7a3fa0")]
    if part.kind in OHMS and len(holes) == 2:
        body = f'<rect x="{left + 3:g}" y="{middle[1] - 1.5:g}" width="{max(right - left - 6, 1):g}" height="3" rx="1"'
        name = f"{part.ref} {OHMS[part.kind]}"
        shape = f'{body} fill="#fff6dc" stroke="{INK}" stroke-width="0.3"/>' if right - left > 6 else ""
        return [
            line(left, top, right, bottom, INK, 0.4),
            shape,
            words(middle[0], middle[1] + 0.9, name, 2.3, INK, "middle"),
        ]
    body = f'<rect x="{left - 1.6:g}" y="{top - 1.8:g}" width="{right - left + 3.2:g}" height="{bottom - top + 3.6:g}"'
    notch = f'<circle cx="{middle[0]:g}" cy="{top - 1.8:g}" r="1.2" fill="{INK}"/>' if part.kind is Kind.DRIVER else ""
    dot = words(left, top - 2.4, "•", 3.4, INK, "middle") if part.kind is Kind.PULL_NETWORK else ""
    label = words(middle[0], middle[1], part.ref, 2.8, INK, "middle", "bold") if part.kind is Kind.DRIVER else ""
    if part.kind is Kind.PULL_NETWORK:
        label = words(left - 2.4, middle[1] + 2.5, part.ref, 2.6, INK, "end")
    return [f'{body} rx="0.8" fill="none" stroke="{INK}" stroke-width="0.4"/>', notch, dot, label]
