"""The site as it is read: from files, without a network, with every link and its search."""

import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
MKDOCS = ROOT / ".venv-docs/bin/mkdocs"
READERS = ("Players", "Organisers", "Makers", "Authors of games", "Operators")

pytestmark = pytest.mark.skipif(not MKDOCS.exists(), reason="make docs has not set up .venv-docs here")


class Page(HTMLParser):
    """What a page leads to, what it loads, and the names of its places."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.places |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag == "link" and attributes.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(attributes["href"])
        elif tag in ("script", "img", "iframe", "source") and attributes.get("src"):
            self.loaded.append(attributes["src"])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the site, made as `make docs` makes it; mkdocs ends with an error at any warning."""
    subprocess.run([ROOT / ".venv/bin/python", "-m", "release.site"], cwd=ROOT, check=True)
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run([MKDOCS, "build", "--strict", "--site-dir", folder], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return folder


def test_every_link_leads_to_a_place_and_nothing_is_loaded_from_elsewhere(built):
    pages = {path: Page(path) for path in built.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 35
    for path, page in pages.items():
        assert [address for address in page.loaded if urlsplit(address).netloc] == [], path
        for address in (*page.links, *page.loaded):
            parts = urlsplit(address)
            if parts.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.relative_to(built)} leads to {address}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].places | {"__"}, f"{path.relative_to(built)}: {address}"


def test_it_is_by_reader_has_the_contract_and_finds_words_from_files(built, browser):
    with browser.new_context() as context:
        page = context.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((built / "index.html").as_uri())
        tabs = page.get_by_role("navigation", name="Tabs").get_by_role("link")
        assert set(READERS) <= {text.strip() for text in tabs.all_inner_texts()}
        page.get_by_role("textbox", name="Search").fill("photo finish")
        expect(page.locator(".md-search-result__item").first).to_be_visible(timeout=20_000)
        page.goto((built / "reference/contract.html").as_uri())
        row = page.get_by_role("row").filter(has=page.get_by_text("seats", exact=True))
        expect(row.first).to_contain_text("fewest and most players")
        assert [address for address in asked if not address.startswith("file:")] == []
