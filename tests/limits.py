"""Limits on the size of product code: `make lint` runs this, and fails above a limit.

    python -m tests.limits

EXCEPTIONS lists what is larger, with its size. It may only shrink: an exception that is larger than needed fails, too.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("companion", "vision", "web", "firmware", "hardware/tools", "release")
CODE = (".py", ".js", ".css", ".html")
LIMITS = {"modules": 20, "lines": 400, "methods": 25}  # of a folder, beside `__init__`; of a file; of a class

EXCEPTIONS: dict[str, int] = {}


def main() -> int:
    found = list(complaints(dict(sizes(ROOT)), EXCEPTIONS))
    print("\n".join(found) or "Nothing is too large.")
    return 1 if found else 0


def complaints(sizes: Mapping[str, int], exceptions: Mapping[str, int]) -> Iterator[str]:
    """A line for each thing that is too large, and for each exception that is larger than needed."""
    for name, size in sizes.items():
        most = LIMITS[name.rpartition(" ")[2]]
        if name in exceptions and most < size < exceptions[name]:
            yield f"{name}: {size}, lower its exception to that"
        elif size > exceptions.get(name, most):
            yield f"{name}: {size}, at most {exceptions.get(name, most)}"
    for name in exceptions:
        if sizes.get(name, 0) <= LIMITS[name.rpartition(" ")[2]]:
            yield f"{name}: needs no exception any more"


def sizes(root: Path) -> Iterator[tuple[str, int]]:
    """(name, size): the modules of every folder, the lines of every file, the methods of every class."""
    paths = sorted(path for top in PRODUCT for path in (root / top).rglob("*") if path.suffix in CODE)
    modules = Counter(path.parent for path in paths if path.suffix == ".py" and path.name != "__init__.py")
    yield from ((f"{folder.relative_to(root).as_posix()} modules", count) for folder, count in modules.items())
    for path in paths:
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        yield f"{name} lines", len(text.splitlines())
        for node in ast.walk(ast.parse(text)) if path.suffix == ".py" else ():
            if isinstance(node, ast.ClassDef):
                methods = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
                yield f"{name} {node.name} methods", len(methods)


if __name__ == "__main__":
    sys.exit(main())
