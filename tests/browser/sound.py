"""What a page must be for people with little sight, large fingers or small screens.

axe-core looks at each in light on a tablet and in dark on a phone; what it cannot see is measured: 48 px to tap,
nothing that scrolls sideways at 320 px or with text at twice its size, and no heading that is cut.
"""

from collections.abc import Sequence
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page, ViewportSize

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES_OF_A_LOOK = ["color-contrast", "link-name", "button-name", "target-size", "scrollable-region-focusable"]
MEASURE = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")
HEADINGS_CUT = """letters_px => [...document.querySelectorAll(".bar-title h1")].filter(
    ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth > clientWidth || scrollHeight > clientHeight + letters_px
).map(heading => heading.innerText)"""
LETTERS_PX = 6  # so far down may letters reach below their line; a line that is cut is higher
TABLET, PHONE, NARROW = ({"width": w, "height": h} for w, h in ((1024, 768), (390, 844), (320, 640)))
UPRIGHT = {"width": 768, "height": 1024}
SMALL_PHONE = {"width": 360, "height": 640}
LEAST_PX = 48
MOST_GROWTH = 3


def resize(page: Page, viewport: ViewportSize) -> None:
    """Gives the window that size, and the page's scripts the frames in which they hear of it."""
    if page.viewport_size == viewport:
        return
    page.set_viewport_size(viewport)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def faults(page: Page) -> list[str]:
    """What is wrong with the page as it stands."""
    found = []
    for viewport, scheme, rules in ((TABLET, "light", RULES), (PHONE, "dark", RULES_OF_A_LOOK)):
        resize(page, viewport)  # seldom, as each size is painted: first what is measured in this one
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour halfway to another
        seen = f"{scheme}, {viewport['width']} px: "
        measured = page.evaluate(MEASURE, LEAST_PX)
        found += [f"{seen}{each} is too small to tap" for each in measured["small"]]
        found += sideways(measured, seen)
        if viewport == TABLET:
            page.evaluate("document.documentElement.style.fontSize = '200%'")
            found += sideways(page.evaluate(MEASURE, LEAST_PX), "text at 200 %: ")
            page.evaluate("document.documentElement.style.fontSize = ''")
        else:
            headings = cut_headings(page, [viewport])
        # in a window as high as the page: what is half under the bar, and scrolls free of it, is not too small
        for _ in range(MOST_GROWTH):  # a board that is as high as the window allows grows with it
            height = page.evaluate("document.documentElement.scrollHeight")
            resize(page, {**viewport, "height": max(height, viewport["height"])})
        found += [seen + each for each in violations(page, rules)]
    headings += cut_headings(page, [UPRIGHT])
    found += [f"the heading {words!r} is cut" for words in headings]
    resize(page, NARROW)
    found += sideways(page.evaluate(MEASURE, LEAST_PX), "320 px: ")
    return found


def violations(page: Page, rules: list[str]) -> list[str]:
    """What axe-core has against the page: by tags, or by the rules whose verdict hangs on size and colours."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    answer = page.evaluate("only => axe.run(document, { runOnly: only, resultTypes: ['violations'] })", rules)
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in answer["violations"]
        for node in rule["nodes"]
    ]


def cut_headings(page: Page, viewports: Sequence[ViewportSize]) -> list[str]:
    """The headings that are not whole in one of these windows: a phone, or a tablet held upright."""
    cut = []
    for viewport in viewports:
        resize(page, viewport)
        cut += page.evaluate(HEADINGS_CUT, LETTERS_PX)
    return cut


def sideways(measured: dict[str, object], seen: str) -> list[str]:
    over = measured["sideways"]
    return [f"{seen}scrolls {over} px sideways: {measured['wide']}"] if isinstance(over, int) and over > 0 else []


def assert_sound(page: Page) -> None:
    found = faults(page)
    assert not found, "\n".join(dict.fromkeys(found))
