"""Showing the cards of a bought deck to the camera, each once: from then on it knows them."""

from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.cameras.bought_deck import ShownDeck, name_of
from companion.equipment.deck import CARDS, STARS, Deck, card_eyes
from companion.errors import BadInput, CameraUnavailable, NotFound
from companion.words import _, retold
from web.api import requests
from web.house import host

NUMBER_LENGTH = 10  # longest text of a number that is shown again

deck = Blueprint("deck", __name__, url_prefix="/calibrate/deck")


@deck.get("")
def page() -> str:
    """The live picture, the card in it, and the cards that were shown so far."""
    deck_shown = host().outside.shown_deck
    if deck_shown is not None:
        lay_card_spot()
    number = number_wanted(deck_shown)
    card = deck_shown.cards.get(number) if deck_shown is not None and number is not None else None
    stars = None if card is None else card.stars
    return deck_page("" if number is None else str(number), "" if stars is None else str(stars))


def deck_page(number: str, stars: str, refusal: str = "") -> str:
    """The page with these texts in its fields."""
    deck_shown = host().outside.shown_deck
    return render_template(
        "deck.html",
        cards={} if deck_shown is None else {key: card_of(deck_shown, key) for key in deck_shown.cards},
        all_cards=CARDS,
        most_stars=STARS[1],
        number=number[:NUMBER_LENGTH],
        stars=stars[:NUMBER_LENGTH],
        refusal=refusal,
        goes_on="after" in request.args,
        **parts(),
    )


@deck.get("/parts")
def parts_fragment() -> str:
    """The part of the page that changes. While a page asks for it, the camera shows the live view and reads nothing."""
    return render_template("deck_parts.html", **parts())


def parts() -> dict[str, Any]:
    """The values for the changing part: the newest view."""
    deck_shown = host().outside.shown_deck
    view = deck_shown.watch() if deck_shown is not None else None
    return {
        "has_camera": deck_shown is not None,
        "line": host().status.lines["camera"],
        "picture": name_of(view.jpeg) if view else None,
        "cut": name_of(view.card_jpeg) if view and view.card_jpeg else None,
        "known": view.known if view else None,
    }


def card_of(deck_shown: ShownDeck, number: int) -> dict[str, Any]:
    """A card that was shown, for the page."""
    card = deck_shown.cards[number]
    return {"stars": card.stars, "version": name_of(card.jpeg)}


def number_wanted(deck_shown: ShownDeck | None) -> int | None:
    """The number of the next card: the query's own number if that card was shown, else the next one not shown yet."""
    cards = () if deck_shown is None else deck_shown.cards
    after = request.args.get("after", 0, int)
    if request.args.get("number", 0, int) in cards:
        return request.args.get("number", 0, int)
    left = [number for number in range(1, CARDS + 1) if number not in cards]
    return next((number for number in left if number > after), left[0] if left else None)


def lay_card_spot() -> None:
    """Lays a mat with a card spot on the demo's table, unless a game is active."""
    house = host()
    if house.outside.demo is not None and house.active.session is None:
        house.outside.demo.prepare(card_eyes(Deck.BOUGHT))


@deck.get("/picture.jpg")
def picture() -> Response:
    """The camera's newest picture, which is never stored."""
    view = shown_deck().newest()
    if view is None:
        raise NotFound(_("The camera hasn't looked yet. Wait a moment."))
    return Response(view.jpeg, mimetype="image/jpeg")


@deck.get("/seen/<id:cut>.jpg")
def cut_out(cut: str) -> Response:
    """The picture of a card that was seen just now."""
    return Response(shown_deck().cut(cut), mimetype="image/jpeg")


@deck.get("/<seq:number>.jpg")
def card(number: int) -> Response:
    """The picture of a card that was shown."""
    kept_card = shown_deck().cards.get(number)
    if kept_card is None:
        raise NotFound(_("Card {number} hasn't been shown yet.", number=number))
    return Response(kept_card.jpeg, mimetype="image/jpeg")


@deck.post("/keep")
def keep() -> tuple[str, int] | AnyResponse:
    """Keeps the card that was seen, with its number and stars; a refusal shows the page again with its sentence."""
    deck_shown, cut = shown_deck(), request.form.get("cut", "")
    try:
        number, stars = whole("number"), whole("stars", empty=True)
        if not cut:
            raise BadInput(_("I can't see a card yet. Put one flat under the camera, with all its edges in view."))
        deck_shown.keep(number or 0, stars, cut, alike="alike" in request.form)
    except (BadInput, NotFound) as refusal:
        return deck_page(request.form.get("number", ""), request.form.get("stars", ""), str(refusal)), 400
    return redirect(url_for("deck.page", after=number), 303)


@deck.post("/forget")
def forget() -> AnyResponse:
    """Forgets a card."""
    shown_deck().forget(whole("number") or 0)
    return redirect(url_for("deck.page"), 303)


@deck.post("/tap")
def tap() -> dict[str, str]:
    """Somebody touched the card in the picture: {"x": 0..1, "y": 0..1}."""
    touch = requests.body(requests.Touch)
    shown_deck().tap(touch.x, touch.y)
    return {}


def whole(name: str, *, empty: bool = False) -> int | None:
    """A whole number from the form, or None for an empty field if that is allowed; raises BadInput."""
    typed = request.form.get(name, "").strip()
    if not typed and empty:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) <= NUMBER_LENGTH):
        raise BadInput(_("Type whole numbers: the card's number, and its stars if you know them."))
    return int(typed)


def shown_deck() -> ShownDeck:
    """The deck that the camera is shown; raises CameraUnavailable if there is no camera."""
    deck_shown = host().outside.shown_deck
    if deck_shown is None:
        raise CameraUnavailable(retold(host().status.lines["camera"].text))
    return deck_shown
