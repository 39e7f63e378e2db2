"""The series of a hall: the table of its evenings, a chart, the same as CSV and JSON, and what organisers change."""

from fractions import Fraction
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, CompanionError, NotFound
from companion.game.charts import Curve, Curves
from companion.hub.hall import HALL
from companion.hub.series import Series, SeriesTable, Worth, table_of
from companion.words import _, date, retold
from web.hub.here import hub, readers_only, staff_only
from web.hub.tournament_forms import FORM_ID, read_number
from web.hub.tournaments import WORTHS, all_page
from web.render.csv import csv_file

series = Blueprint("series", __name__)

MOST_CURVES = 8  # More lines nobody can tell apart.
DIGITS = 6  # Points of an evening are 840ths at the finest, so that points that differ are written differently.


@series.get("/v1/series")
@readers_only
def rows() -> Response:
    """The series for programs, the newest first."""
    return jsonify(
        [
            {"id": one.id, "title": one.title, "counts": one.worth.value, "best": one.best}
            for one in hub().record.series.all()
        ]
    )


@series.get("/v1/series/<id_>")
@readers_only
def lines(id_: str) -> Response:
    """A line for each regular, best first; points are exact, as in "5/3"."""
    table = read_table(hub().record.series.find(id_))
    return jsonify(
        [
            {
                "id": str(number),
                "place": regular.place,
                "name": regular.name,
                "points": str(regular.points),
                "evenings": [
                    {"tournament": evening.tournament, "points": exact(points), "counts": counts}
                    for evening, points, counts in zip(table.evenings, regular.gained, regular.counts, strict=True)
                ],
            }
            for number, regular in enumerate(table.regulars, start=1)
        ]
    )


def exact(points: Fraction | None) -> str | None:
    return None if points is None else str(points)


def read_table(one: Series) -> SeriesTable:
    return table_of(one, hub().record.desk.all())


@series.get("/series/<id_>")
@readers_only
def page(id_: str, refusal: str = "") -> str:
    return render_template("hall/series.html", refusal=refusal, typed=request.form, **page_values(id_))


@series.get("/series/<id_>/now")
@readers_only
def fragment(id_: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/series_table.html", **page_values(id_))


def page_values(id_: str) -> dict[str, Any]:
    one = hub().record.series.find(id_)
    table = read_table(one)
    return {"series": one, "table": table, "worths": WORTHS, "chart": course_of(table)}


def course_of(table: SeriesTable) -> Curves | None:
    """What the first of the table had after each evening, or None if there are fewer than two evenings."""
    if len(table.evenings) < 2:
        return None
    return Curves(
        _("Points after each evening"),
        _("Evening"),
        tuple(
            Curve(f"regular {number}", regular.name, regular.course)
            for number, regular in enumerate(table.regulars[:MOST_CURVES], start=1)
        ),
    )


@series.get("/series/<id_>.csv")
@readers_only
def as_csv(id_: str) -> Response:
    """The table as CSV, points as decimals that spreadsheets reckon with."""
    table = read_table(hub().record.series.find(id_))
    evenings = [f"{evening.title} {date(evening.begun_us)}" for evening in table.evenings]
    head = [_("Place"), _("Name"), _("Points"), _("Evenings"), *evenings]
    return csv_file("series", (head, *map(cells, table.regulars)))


def cells(regular: Any) -> list[str | float]:
    gained = ["" if points is None else round(float(points), DIGITS) for points in regular.gained]
    return [regular.place, regular.name, round(float(regular.points), DIGITS), regular.evenings, *gained]


@series.post("/series")
@staff_only
def make() -> AnyResponse:
    """Makes a series; refusals are said over the form of the list of tournaments."""
    id_ = request.form.get("id", "")
    try:
        if not FORM_ID.fullmatch(id_):
            raise BadInput(_("This form can't be read. Open the page again, and type it anew."))
        hub().record.series.make(id_, *read_series())
    except CompanionError as refusal:
        said = all_page(refusal=retold(refusal.sentence), typed=request.form, of="series")
        return Response(said, HTTPStatus.UNPROCESSABLE_ENTITY)
    hub().live.publish(HALL)
    return redirect(url_for(".page", id_=id_), 303)


@series.post("/series/<id_>/change")
@staff_only
def change(id_: str) -> AnyResponse:
    """Renames a series, or has it count otherwise."""
    try:
        hub().record.series.change(id_, *read_series(), hub().record.desk.all())
    except NotFound:
        raise
    except CompanionError as refusal:
        return Response(page(id_=id_, refusal=retold(refusal.sentence)), HTTPStatus.UNPROCESSABLE_ENTITY)
    hub().live.publish(HALL)
    return redirect(url_for(".page", id_=id_), 303)


@series.post("/series/<id_>/delete")
@staff_only
def delete(id_: str) -> AnyResponse:
    hub().record.series.delete(id_)
    hub().live.publish(HALL)
    return redirect(url_for("tournaments.all_page"), 303)


@series.post("/series/<id_>/restore")
@staff_only
def restore(id_: str) -> AnyResponse:
    """Brings a deleted series back."""
    hub().record.series.restore(id_)
    hub().live.publish(HALL)
    return redirect(url_for(".page", id_=id_), 303)


def read_series() -> tuple[str, Worth, int]:
    """What a series is to be; raises BadInput."""
    try:
        worth = Worth(request.form.get("worth", ""))
    except ValueError as error:
        raise BadInput(_("Choose what an evening gives.")) from error
    return request.form.get("title", ""), worth, read_number("best", 0)
