"""Routes about the service itself: whether it runs, its figures and clock, its games."""

from http import HTTPStatus

import msgspec
from flask import Response, request

from companion import periodic
from companion.game.options import option_infos
from companion.shelf import GAMES
from companion.words import retold
from web.access import gate
from web.access.gate import Need
from web.api import responses
from web.api.answers import as_json
from web.api.operations import Operations
from web.house import host

operations = Operations()


@operations.get("/healthz", "Whether the service answers, and how its threads are", gives=periodic.Health)
def healthz() -> Response:
    """How each thread is that is meant to live; 503 where one is dead without which the service is started again.

    Only the host is told what it failed with.
    """
    well = HTTPStatus.OK if periodic.is_well() else HTTPStatus.SERVICE_UNAVAILABLE
    return Response(
        msgspec.json.encode(periodic.health(says_why=gate.may(Need.HOST))), well, mimetype="application/json"
    )


@operations.get("/api/seen", "Whom the table takes the asking device for, and why", gives=responses.Seen)
def seen() -> Response:
    """Tells each device of itself alone; `companion doctor` asks it from the table's own machine."""
    port = request.environ.get("REMOTE_PORT") or 0
    return as_json(responses.Seen(gate.role(), gate.grounds(), str(gate.client_address()), int(port)))


@operations.get("/api/parts", "How each part of the table is now", gives=list[responses.Part])
def parts() -> Response:
    """How buttons, lights, cameras, power and all else are at this moment; `companion doctor` asks it."""
    lines = host().status.lines.items()
    return as_json([responses.Part(part, line.state, str(retold(line.text))) for part, line in lines])


@operations.get("/metrics", "Figures in Prometheus' text format", gives="text/plain")
def metrics() -> Response:
    """The host's figures in Prometheus' text format."""
    lines = [
        line
        for name, value in sorted(host().metrics().items())
        for line in (f"# TYPE {name} gauge", f"{name} {value:.15g}")
    ]
    return Response("\n".join([*lines, ""]), mimetype="text/plain")


@operations.get("/api/clock", "Table time now", gives=responses.ClockInfo)
def clock() -> Response:
    """Table time now. A tablet asks a few times and uses the quickest answer."""
    return as_json(responses.ClockInfo(host().clock.now_us()))


@operations.get("/api/games", "The games that can be played, with their switches", gives=list[responses.GameInfo])
def games() -> Response:
    return as_json(
        [
            responses.GameInfo(
                name=game.rules.name,
                title=game.pages.title,
                tagline=game.pages.tagline,
                fewest=game.rules.seats[0],
                most=game.rules.seats[1],
                options=[
                    responses.GameOption(
                        name=info.name,
                        default=msgspec.to_builtins(info.default),
                        label=info.label,
                        help=info.help,
                        rule=info.rule,
                        choices=[responses.OptionChoice(msgspec.to_builtins(c.value), c.label) for c in info.choices],
                        low=info.low,
                        high=info.high,
                    )
                    for info in option_infos(game.rules.options)
                ],
                presets=[
                    responses.GamePreset(
                        preset.name, preset.label, preset.help, msgspec.to_builtins(dict(preset.options)), preset.locked
                    )
                    for preset in game.pages.presets
                ],
            )
            for game in GAMES.values()
        ]
    )
