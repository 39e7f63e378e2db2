"""`make rehearsal`: plays the evening and writes docs/rehearsal.md; the exit status is 1 if anything is wrong."""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

from tests.hall.rehearsal import report
from tests.hall.rehearsal.evening import Evening, Look
from tests.hall.rehearsal.judge import complaints
from tests.hall.rehearsal.staff import Phone

DISK_MB = 256


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A file system of its own that can be filled up; None where none can be mounted."""
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder))
    try:
        is_mounted = not subprocess.run(mount, capture_output=True, check=False).returncode
    except FileNotFoundError:
        is_mounted = False
    try:
        yield folder if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(("umount", str(folder)), check=True)


def no_look(_name: str, _path: str, _phone: Phone) -> None:
    """Takes no picture."""


def rehearse(folder: Path, seed: int, look: Look = no_look) -> tuple[Evening, list[str], float]:
    """Plays an evening; returns it, what is wrong, and how many seconds it took."""
    began_s = time.monotonic()
    with small_disk(folder / "disk") as disk, contextlib.closing(Evening(folder, seed, disk, look)) as evening:
        evening.run()
        wrong = list(complaints(evening))
    return evening, wrong, time.monotonic() - began_s


@click.command()
@click.option("--seed", default=1, show_default=True, help="Of who is late, which table dies, and what is played.")
@click.option("--out", default="docs/rehearsal.md", show_default=True, type=click.Path(path_type=Path))
@click.option("--pictures", type=click.Path(path_type=Path), help="Where pictures of the hardest moments go.")
def main(seed: int, out: Path, pictures: Path | None) -> None:
    """Plays an evening in which twelve things go wrong."""
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder, contextlib.ExitStack() as open_:
        look = open_.enter_context(camera(pictures)) if pictures else no_look
        evening, wrong, seconds = rehearse(Path(folder), seed, look)
    out.write_text(report.page(evening, seed, wrong, seconds), encoding="utf-8")
    for one in evening.happened:
        print(report.row(one))
    print("\n".join(wrong) or "The standings are those on paper. No game is lost, and none counts twice.")
    print(f"{seconds:.0f} s, written to {out}")
    sys.exit(bool(wrong))


@contextlib.contextmanager
def camera(folder: Path) -> Iterator[Look]:
    """Takes pictures of pages as the phones see them, in two sizes and languages."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def look(name: str, path: str, phone: Phone) -> None:
            for language in ("en", "de"):
                for width, height in ((390, 844), (1024, 768)):
                    context = browser.new_context(locale=language, viewport={"width": width, "height": height})
                    for cookie in phone.cookies:
                        context.add_cookies([{"name": cookie.name, "value": cookie.value or "", "url": phone.hub_url}])
                    page = context.new_page()
                    page.goto(phone.hub_url + path)
                    page.screenshot(path=folder / f"{name.replace(' ', '-')}-{language}-{width}.png", full_page=True)
                    context.close()

        yield look
        browser.close()


if __name__ == "__main__":
    main()
