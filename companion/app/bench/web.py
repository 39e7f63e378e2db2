"""`companion bench web`: how soon an event is on every screen, and what many screens cost the service.

The real service runs in a process of its own, on one core; the tablets are plain connections of this process, on
another. The id of each event says when it was sent. It counts as arrived on a screen with the last byte of the stream's
message ("told"), or of the sheet that the page then fetches ("shown").
"""

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from companion.app.bench.apart import HttpConnection, Service, service_apart
from companion.app.bench.elsewhere import figures_elsewhere
from companion.app.bench.figures import Figure
from companion.app.bench.screens import (
    AT_ONCE,
    PAUSE_S,
    Game,
    Screen,
    delays_ns,
    growth,
    new_game,
    open_pages,
    play,
    screen,
    spread,
    wait_until,
)
from companion.app.service.server import allow_handles

EVENTS = 100  # With ten tablets that is a thousand arrivals.
EVENTS_FETCHED = 10  # Pages that fetch their sheets take longer.
FETCHED_PAUSE_S = 2.0
KEEP_OPEN_S = 5.0  # The service closes a connection that is silent for ten seconds.
LOADS = (10, 100, 1000)
TABLETS, WATCHERS = 10, 200
GAMES, GAME_EVENTS = 100, 100  # Memory must not grow during these 10,000 events.
WARM_GAMES = 70  # The service keeps the newest 64 games folded.
RECONNECTS = 1_000


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Milliseconds from the tap to the screens, and the service's memory. Labels and `out` are not used."""
    allow_handles()
    with service_apart("--camera", "none") as service:
        here = asyncio.run(measure(service))
    return here + figures_elsewhere(LOADS, EVENTS)


async def measure(service: "Service") -> list[Figure]:
    """All figures, measured on one service."""
    figures_ = []
    for count, group in ((TABLETS, "tablets"), (WATCHERS, "watchers")):
        figures_ += await arrivals(service, count, f"{count} {group}", sheets=False)
        figures_ += await arrivals(service, count, f"{count} {group}", sheets=True)
    for count in LOADS:
        figures_ += await growth(service, count, EVENTS)
    figures_ += await many_events(service)
    figures_ += await many_reconnects(service)
    return figures_


async def arrivals(service: Service, count: int, group: str, *, sheets: bool) -> list[Figure]:
    """The times from the tap until every screen has the message, or shows the sheet that it then fetches."""
    async with open_pages(service, count) as (game, screens):
        if not sheets:
            await play(game, screens, PAUSE_S, EVENTS)
            return spread("tap until told", group, delays_ns(game, screens))
        shown_ns: list[dict[int, int]] = [{} for _ in screens]
        try:
            async with asyncio.TaskGroup() as fetching:
                pages: list[asyncio.Task[None]] = []
                for first in range(0, count, AT_ONCE):
                    batch = shown_ns[first : first + AT_ONCE]
                    several = zip(screens[first:], batch, strict=False)
                    pages += [fetching.create_task(keep_fetching(service, game, *pair)) for pair in several]
                    await wait_until(lambda batch=batch: all(batch))  # type: ignore[misc]
                await play(game, screens, FETCHED_PAUSE_S, EVENTS_FETCHED)
                last = max(game.sent)
                await wait_until(lambda: all(any(seq >= last for seq in at) for at in shown_ns))
                for page in pages:
                    page.cancel()
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
    delays = [
        min(ns for newest, ns in at.items() if newest >= seq) - sent
        for seq, sent in game.sent.items()
        for at in shown_ns
    ]
    return spread("tap until shown", group, delays)


async def keep_fetching(service: Service, game: Game, page: Screen, shown_ns: dict[int, int]) -> None:
    """Fetches the sheet at first and whenever an entry arrives, as a page does, never twice at once.

    It asks every KEEP_OPEN_S as well, so that its connection stays open: for each new one over loopback the service
    looks through all programs of this machine, as it never does for a tablet.
    """
    connection = HttpConnection(service.port)
    try:
        while True:
            text = await connection.ask(f"/s/{game.session}/sheet")
            newest = int(text.partition(b'data-seq="')[2].partition(b'"')[0])
            shown_ns.setdefault(newest, time.perf_counter_ns())
            with suppress(TimeoutError):
                await asyncio.wait_for(page.has_news.wait(), KEEP_OPEN_S)
            page.has_news.clear()
    finally:
        connection.close()


async def many_events(service: Service) -> list[Figure]:
    """Memory before and after 10,000 events, after as many games as the service keeps folded."""
    connection = HttpConnection(service.port)
    screens: list[Screen] = []
    samples = []
    for number in range(WARM_GAMES + GAMES):
        game = await new_game(connection)
        for page in screens:
            page.close()
        screens = [await screen(service, game.session, 0) for _ in range(TABLETS)]
        for _ in range(GAME_EVENTS):
            await game.event()
        if number >= WARM_GAMES - 1:
            samples.append(service.memory_mb())
    for page in screens:
        page.close()
    connection.close()
    return memory_figures(f"{GAMES * GAME_EVENTS:,} events, {TABLETS} tablets", samples)


async def many_reconnects(service: Service) -> list[Figure]:
    """Memory and file handles before and after 1,000 tablets fell off the network and came back."""
    samples = []
    async with open_pages(service, TABLETS) as (game, screens):
        handles = service.handles()
        for number in range(RECONNECTS):
            slot = number % TABLETS
            screens[slot].close()
            seq = await game.event() if number % TABLETS == 0 else len(game.sent)
            screens[slot] = await screen(service, game.session, max(0, seq - 1))
            await wait_until(lambda page=screens[slot], seq=seq: seq in page.arrived_ns)  # type: ignore[misc]
            if number % max(1, RECONNECTS // 100) == 0:
                samples.append(service.memory_mb())
        await wait_until(lambda: service.handles() <= handles + 2)
        more = service.handles() - handles
    group = f"{RECONNECTS:,} reconnects"
    return [*memory_figures(group, samples), Figure("file handles more at the end", group, value=more)]


def memory_figures(group: str, samples: list[float]) -> list[Figure]:
    """The means of the first and the last tenth of the samples."""
    tenth = max(1, len(samples) // 10)
    first, last = sum(samples[:tenth]) / tenth, sum(samples[-tenth:]) / tenth
    return [
        Figure("memory of the service, at first", group, value=first, unit="MB"),
        Figure("memory of the service, in the end", group, value=last, unit="MB"),
    ]
