"""What is wrong in the end: standings that are not those on paper, games that are lost, games that count twice."""

import urllib.error
from collections import Counter
from collections.abc import Iterator

from tests.hall.rehearsal.evening import Evening
from tests.hall.rehearsal.paper import differences


def complaints(evening: Evening) -> Iterator[str]:
    """A line for each thing that is wrong at the end of an evening whose hub and tables still run."""
    yield from differences(evening.paper.standings(), evening.standings())
    hub = evening.hub
    for table in evening.tables:
        for session in table.games():
            try:
                hub.ask(f"/v1/games/{session}")
            except urllib.error.HTTPError as refusal:
                refusal.close()
                yield f"{table.name} has finished game {session}, and the hub has no letter of it"
    counting = Counter(game["id"] for game in hub.ask("/v1/games"))
    on_paper = {session for session in evening.paper.sessions.values() if session}
    yield from (f"game {session} counts {times} times" for session, times in counting.items() if times > 1)
    yield from (f"game {session} counts at the hub, and not on paper" for session in counting.keys() - on_paper)
    yield from (f"game {session} counts on paper, and not at the hub" for session in on_paper - counting.keys())
    for one in hub.ask("/v1/tables"):
        if one["missing"] and not one["revoked_us"]:
            yield f"{one['missing']} letters of {one['name'] or one['number']} are missing"
    evening.organiser.follow("/staff")
    for one in evening.organiser.page.all("p"):
        is_warning = "t-warn" in one.attributes.get("class", "") and "hidden" not in one.attributes
        if is_warning and "--no-mqtt" not in one.text:
            yield f"the staff's page still says: {one.text}"
    if "Take it?" in evening.organiser.text:
        yield "a result still waits for the staff"
