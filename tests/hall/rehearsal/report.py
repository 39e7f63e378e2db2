"""What the staff had to do, as a page of docs."""

from datetime import date

from companion.app.bench.command import machine
from tests.hall.rehearsal.evening import FULL_DISK, INCIDENTS, ROUNDS, TABLES, Evening, Happening
from tests.hall.rehearsal.programs import SHORTER

TAP_S, LETTER_S, COMMAND_S = 2.0, 0.4, 20.0  # To find a button and tap it; to type; to walk to the hub and type a line.

HEAD = """# A rehearsal of an evening

`make rehearsal` writes this page. It plays an evening with a real hub and {tables} real tables: {people} people,
{rounds} rounds, and {wrong_things} things that go wrong. The staff act by the pages that they tap on their phones;
each tap is counted. A referee on paper keeps count of what really happened.

**{verdict}**

{not_shown}A minute of waiting is {shorter} times shorter there: until a table is called silent (90 seconds in a hall),
until a table tries again, between two copies. Ten minutes without a cable are as many tries of the table as it makes in
ten minutes; the cable is a port that hangs up. The hub is killed by SIGKILL, its folder is deleted right after a round
was seated that no copy has, {full_disk}a table's clock is set two hours back. The tables are
heard at the hub's door alone, without a broker. A tap is reckoned at {tap:g} seconds, a typed letter at {letter:g}, a
command at the hub's computer at {command:g}. All is well again once the games that it was about are played to their
end. Of two phones at once both have their taps, and a third of them is there only if the wrong one was first.

{date}, seed {seed}, {processor}, {cores} cores, with other work beside: {minutes:.1f} minutes in all.

| what happened | taps | letters typed | commands | seconds of the staff | the page said it after | all was well after |
| --- | --- | --- | --- | --- | --- | --- |
"""


NUMBERS = {11: "eleven", 12: "twelve"}
NOT_SHOWN = """**Not shown this time: {missing}.** Only root can mount a disk that is filled up: run it as root.

"""


def page(evening: Evening, seed: int, wrong: list[str], seconds: float) -> str:
    """The page, in Markdown."""
    here = machine()
    verdict = "In the end the hub's standings are those on paper, no game is lost, and none counts twice."
    happened = {one.what for one in evening.happened}
    missing = [what for what in INCIDENTS if what not in happened]
    head = HEAD.format(
        wrong_things=NUMBERS.get(len(INCIDENTS) - len(missing), len(INCIDENTS) - len(missing)),
        full_disk="" if FULL_DISK in missing else "its disk is filled to the last byte, ",
        not_shown=NOT_SHOWN.format(missing=", ".join(missing)) if missing else "",
        tables=TABLES, people=len(evening.paper.names), rounds=ROUNDS, shorter=SHORTER, tap=TAP_S, letter=LETTER_S,
        command=COMMAND_S, date=date.today().isoformat(), seed=seed, processor=here["processor"], cores=here["cores"],
        minutes=seconds / 60, verdict=verdict if not wrong else "This was wrong in the end: " + "; ".join(wrong),
    )  # fmt: skip
    lines = [row(one) for one in evening.happened]
    steps = [f"- **{one.what}**: {'; '.join([*one.commands, *one.steps]) or 'nothing'}." for one in evening.happened]
    return head + "\n".join(lines) + "\n\n## What was tapped\n\n" + "\n".join(steps) + "\n"


def row(one: Happening) -> str:
    """The line of one happening."""
    hands_s = one.taps * TAP_S + one.typed * LETTER_S + len(one.commands) * COMMAND_S
    said = "–" if one.said_s is None else f"{one.said_s:.1f} s"
    well = f"{one.took_s:.1f} s" if one.what in INCIDENTS else "–"
    cells = (one.what, one.taps, one.typed, len(one.commands), f"{hands_s:.0f}", said, well)
    return f"| {' | '.join(map(str, cells))} |"
