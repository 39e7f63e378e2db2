"""Static files and pages on their way: compressed, kept for as long as they are the same, and little altogether."""

import gzip
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest

import web

STATIC = Path(web.__file__).parent / "static"
FIRST_LOAD_BYTES = 150_000  # issue 6
PAGE_NAMES = r'<(?:link|script|img)\b[^>]*(?:href|src)="([^"]+)"'
SCRIPT_NAMES = r'(?:from|import) "([^"]+)"'
STYLE_NAMES = r'url\("([^"]+)"\)'


def style_sheet(client) -> str:
    return re.search(r'<link rel="stylesheet" href="([^"]+)"', client.get("/").text)[1]


def test_a_file_under_its_version_is_kept_for_ever(client):
    answer = client.get(style_sheet(client))
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.mimetype == "text/css"


def test_a_file_under_an_old_version_is_the_one_of_today_and_asked_for_again(client):
    newest = style_sheet(client)
    old = client.get(re.sub("/static/[^/]+/", "/static/0/", newest))
    assert old.data == client.get(newest).data
    assert old.headers["Cache-Control"] == "no-cache"
    again = client.get("/static/0/foundation.css", headers={"If-None-Match": old.headers["ETag"]})
    assert again.status_code == 304


def test_a_browser_that_takes_gzip_gets_the_same_text_compressed(client):
    address = style_sheet(client)
    plain, squeezed = client.get(address), client.get(address, headers={"Accept-Encoding": "gzip, br"})
    assert squeezed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(squeezed.data) == plain.data
    assert len(squeezed.data) * 3 < len(plain.data)
    assert "Accept-Encoding" in squeezed.headers["Vary"]


def test_pages_and_the_api_are_compressed_and_the_stream_is_not(client, sack):
    takes = {"Accept-Encoding": "gzip"}
    assert client.get(f"/s/{sack.session.id}", headers=takes).headers["Content-Encoding"] == "gzip"
    assert client.get("/api/openapi.json", headers=takes).headers["Content-Encoding"] == "gzip"
    stream = client.get(f"/api/sessions/{sack.session.id}/stream", headers=takes)
    assert "Content-Encoding" not in stream.headers
    stream.close()


@pytest.mark.parametrize("name", ["nothing.css", "../app.py", "fonts", ""])
def test_what_is_not_there_is_not_found(client, name):
    assert client.get(f"/static/0/{name}").status_code == 404


def needed_for(client, address: str, seen: dict[str, int]) -> None:
    """Adds up what a browser fetches for a page: what the page names, what that names, each once."""
    if address in seen:
        return
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200, address
    seen[address] = len(answer.data)
    if answer.mimetype.startswith(("font/", "image/", "application/manifest")):
        return
    text = client.get(address).text
    named = {"text/html": PAGE_NAMES, "text/javascript": SCRIPT_NAMES, "text/css": STYLE_NAMES}[answer.mimetype]
    for name in re.findall(named, text):
        needed_for(client, urljoin(address, name), seen)


def test_the_first_load_is_small(client, sack):
    for page in ("/", f"/s/{sack.session.id}"):
        seen: dict[str, int] = {}
        needed_for(client, page, seen)
        assert len(seen) > 5
        assert sum(seen.values()) <= FIRST_LOAD_BYTES, seen


# red means the action


def tokens(theme: int) -> dict[str, str]:
    """The colours of the palette by day (0) or by night (1)."""
    text = (STATIC / "foundation.css").read_text(encoding="utf-8")
    both = re.findall(r"--([a-z-]+): var\(--day, (#\w{6})\) var\(--night, (#\w{6})\)", text)
    alike = re.findall(r"--([a-z-]+): (#\w{6});", text[: text.index("Pieces keep")])
    return {name: shades[theme] for name, *shades in both} | dict(alike)


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def style_rules() -> dict[str, str]:
    """Selector → rule, of all style sheets."""
    found = {}
    for sheet in STATIC.glob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        found |= {f"{sheet.name}: {name.strip()}": rule for name, rule in re.findall(r"([^{}]+)\{([^{}]*)\}", text)}
    return found


def test_nothing_but_the_action_and_the_sign_of_the_house_is_red():
    """The action is the main button, and on the first page the game that goes on."""
    assert {name for name, rule in style_rules().items() if "var(--red" in rule} == {
        "foundation.css: .logo rect",
        "foundation.css: .tap.t-primary",
        "home.css: .continue",
    }


@pytest.mark.parametrize("theme", [0, 1])
def test_a_ring_has_three_times_the_contrast_of_what_lies_under_it(theme):  # WCAG 2.2, 1.4.11
    palette = tokens(theme)
    grounds = {"ink": ("paper", "sheet", "sunk", "warn-soft"), "on-felt": ("felt-in", "felt-out")}
    pointed_at = " ".join(rule for name, rule in style_rules().items() if re.search(":(focus|hover)", name))
    rings = re.findall(r"(?:outline|stroke): [^;]*var\(--([a-z-]+)\)", pointed_at)
    assert set(rings) == set(grounds)
    for ring, below in grounds.items():
        for ground in below:
            darker, lighter = sorted((luminance(palette[ring]), luminance(palette[ground])))
            assert (lighter + 0.05) / (darker + 0.05) >= 3, (ring, ground)
