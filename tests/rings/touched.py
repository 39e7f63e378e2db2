"""The tests that a change since main can reach, by who imports whom.

The graph of the four packages is import-linter's. What a test starts as a program, or reads as a text, no import
tells: STARTED and NEAREST say it.
"""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import click
import grimp

from tests.rings import plan
from tests.rings.plan import ROOT

PACKAGES = ("companion", "vision", "web", "firmware")
TESTS = ROOT / "tests"
ROOF = ("companion.__main__", "companion.app")
STARTED = {  # module → what it starts, or imports by a name made at run time
    "companion.__main__": ("companion.app.cli", "companion.app.doctor", "companion.app.authors", "companion.app.bench"),
    "companion.app.cli.print_": ("companion.printing",),
    "companion.app.service.supervisor": ("vision.process.main",),
    "companion.app.service.photo_reader": ("vision.process.photos",),
    "companion.shelf": tuple(game.module for game in entry_points(group="table_companion.games")),
}
NEAREST = {  # files that are no modules → the module that reads them; every start goes through __main__
    "companion/__main__.py": "companion.app.cli.run",
    "companion/hub/migrations": "companion.hub.database",
    "companion/languages": "companion.words",
    "vision/models": "vision.models.network",
    "web/static": "web.app",
    "web/templates": "web.app",
}
STARTS = re.compile(r"companion\.__main__|\"-m\", \"companion|-m companion|bin/companion")  # the whole program
DOTTED = re.compile(r"\b(?:tests|companion|vision|web|firmware)(?:\.\w+)+")  # in what is run, too
ONE_COMMAND = {
    "tests/service.py": ("companion.app.cli.run",),
    "tests/loaded_table.py": (),
}  # run, of all that they name
EVERYTHING = ("pyproject.toml", "Makefile", ".ci", "tests/conftest.py", "tests/rings")


def changed(base: str) -> list[str]:
    """The files that differ from where this branch left `base`, and those that git does not know yet."""
    since = subprocess.run(["git", "merge-base", base, "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if since.returncode:
        raise click.UsageError(f"git knows no branch {base} that this one has left: name another with --base.")
    differ = ["git", "diff", "--no-renames", "--name-only", since.stdout.strip()]
    new = ["git", "ls-files", "--others", "--exclude-standard"]
    return [
        line
        for command in (differ, new)
        for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    ]


def reached(files: Iterable[str]) -> list[str]:
    """The test files that a change of these files can reach, and those that every change reaches."""
    files = list(files)
    if not files:
        return []
    tests = {path.relative_to(ROOT).as_posix() for path in TESTS.rglob("test_*.py")}
    if any(plan.holds(each, file) or file.startswith(f"{each}.") for file in files for each in EVERYTHING) or any(
        file.startswith("requirements") for file in files
    ):
        return sorted(tests)
    modules = downstream({module for file in files for module in modules_of(file)})
    texts = {Path(file).name for file in files} | {folder for file in files for folder in data_folder(file)}
    folders = {Path(file).parent.as_posix() for file in files if file.endswith("/conftest.py")}
    folders |= {"tests/release" for file in files if file.startswith("release/")}
    always = plan.read().always
    return sorted(
        test
        for test in tests
        if any(plan.holds(each, test) for each in (*always, *folders))
        or not needs(test).isdisjoint(modules | set(files))
        or any(name in text_of(each) for name in texts for each in needs(test) if each.startswith("tests/"))
    )


def data_folder(file: str) -> tuple[str, ...]:
    """The folder by which tests name a file of `hardware`, or one that lies among the tests and is no module."""
    top, *below = Path(file).parts[:-1] or ("",)
    if top == "tests" and not file.endswith(".py"):
        return tuple([name for name in below if not any((TESTS / name).glob("test_*.py"))][:1])
    return ("hardware",) if top == "hardware" else ()


def modules_of(file: str) -> Iterator[str]:
    """The modules of the four packages that change with a file."""
    path = Path(file)
    if path.parts[0] not in PACKAGES:
        return
    for folder, module in NEAREST.items():
        if plan.holds(folder, file):
            yield module
            return
    if path.suffix == ".py":
        yield ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    else:  # a table beside its readers
        yield from (
            ".".join(each.with_suffix("").relative_to(ROOT).parts) for each in (ROOT / path).parent.glob("*.py")
        )


@cache
def graph() -> grimp.ImportGraph:
    """Who imports whom in the four packages, with what is started rather than imported."""
    found = grimp.build_graph(*PACKAGES, cache_dir=None)
    for importer, begun in STARTED.items():
        for module in found.modules:
            if any(module == each or module.startswith(f"{each}.") for each in begun):
                found.add_import(importer=importer, imported=module)
    return found


def downstream(modules: set[str]) -> set[str]:
    """The modules, and all that import them, directly or not."""
    known = graph()
    return modules | {above for module in modules & known.modules for above in known.find_downstream_modules(module)}


@cache
def needs(test: str) -> frozenset[str]:
    """What a file of tests stands on: modules of the four packages, and files of tests."""
    modules: set[str] = set()
    files = [test]
    for file in files:  # it grows
        beside, imported = stands_on(file)
        modules |= imported
        files += sorted(beside - set(files))
    return frozenset(modules | set(files))


@cache
def stands_on(test: str) -> tuple[frozenset[str], frozenset[str]]:
    """(files of tests, modules of the four packages) that a file of tests imports, or starts."""
    path, text = ROOT / test, text_of(test)
    names = {*imported(text), *DOTTED.findall(text)}
    modules = {part for name in names if not name.startswith("tests.") for part in (name, name.rpartition(".")[0])}
    if test in ONE_COMMAND:
        modules = {*ONE_COMMAND[test]}
    elif STARTS.search(text):
        modules |= {module for module in graph().modules if module.startswith(ROOF)}
    files = {ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in names if name.startswith("tests.")}
    for folder in path.parents:
        if folder.is_relative_to(TESTS) and uses(text, folder / "conftest.py"):
            files.add(folder / "conftest.py")
    beside = frozenset(file.relative_to(ROOT).as_posix() for file in files if file.exists() and file != path)
    return beside, frozenset(modules - {""})


def uses(text: str, conftest: Path) -> bool:
    """Whether a test names a fixture of that file."""
    fixtures = re.findall(r"@pytest\.fixture.*\n(?:@.*\n)*def (\w+)", conftest.read_text()) if conftest.exists() else []
    return any(re.search(rf"\b{name}\b", text) for name in fixtures)


def imported(text: str) -> Iterator[str]:
    """The names of the modules that a text imports, anywhere in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def text_of(test: str) -> str:
    return (ROOT / test).read_text(encoding="utf-8")
