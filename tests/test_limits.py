"""Every limit of `make lint` fails one above it, and an exception as soon as it is too large."""

import pytest

from tests.limits import LIMITS, complaints, sizes

METHOD = "    def m{}(self): ...\n"


def grown(root, what, size):
    """A checkout in which one thing is as large as that."""
    folder = root / "companion" / "attic"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    if what == "modules":
        for i in range(size):
            (folder / f"m{i}.py").touch()
    else:
        methods = "class Shelf:\n" + "".join(map(METHOD.format, range(size)))
        (folder / "shelf.py").write_text("# a line\n" * size if what == "lines" else methods, encoding="utf-8")
    return dict(sizes(root))


@pytest.mark.parametrize("what", LIMITS)
def test_a_limit_may_be_reached(tmp_path, what):
    assert list(complaints(grown(tmp_path, what, LIMITS[what]), {})) == []


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("modules", "companion/attic modules"),
        ("lines", "companion/attic/shelf.py lines"),
        ("methods", "companion/attic/shelf.py Shelf methods"),
    ],
)
def test_above_a_limit_lint_fails_and_an_exception_may_only_shrink(tmp_path, what, name):
    most = LIMITS[what]
    found = grown(tmp_path, what, most + 2)
    assert list(complaints(found, {})) == [f"{name}: {most + 2}, at most {most}"]
    assert list(complaints(found, {name: most + 1})) == [f"{name}: {most + 2}, at most {most + 1}"]
    assert list(complaints(found, {name: most + 2})) == []
    assert list(complaints(found, {name: most + 3})) == [f"{name}: {most + 2}, lower its exception to that"]
    assert list(complaints({name: most}, {name: most + 2})) == [f"{name}: needs no exception any more"]
    assert list(complaints({}, {name: most + 2})) == [f"{name}: needs no exception any more"]
