"""Operations of the REST API: one decorator gives a view its path, its request type and its response type."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from companion.table.table import Table
from web.api import requests, responses
from web.house import host

Json = dict[str, Any]
P = ParamSpec("P")
R = TypeVar("R")

READ = (403, 404, 503)  # how an operation that reads may be refused, by status
WRITE = (400, 403, 404, 413, 415, 503)
ENTRY = (*WRITE, 409, 422)

SESSION = "/api/sessions/{session}"
PROPOSAL = SESSION + "/proposals/{proposal}"
PERSON = "/api/people/{profile}"


@dataclass(frozen=True)
class Parameter:
    """A parameter in the query or the headers."""

    name: str
    where: str
    schema: Json
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """One method of one address.

    path        as in OpenAPI: parameters in braces, each an id
    gives       a type of `responses`, or a media type if it is no JSON; of a tuple one or the other
    takes       a type of `requests`, or a media type
    status      of the response when all went well
    refusals    every other status that it may respond with
    """

    method: str
    path: str
    name: str
    summary: str
    gives: Any
    takes: Any = None
    status: int = 200
    refusals: tuple[int, ...] = ()
    parameters: tuple[Parameter, ...] = ()


class Operations:
    """The operations of one module, each with the view that answers it, in the order of their decorators."""

    def __init__(self) -> None:
        self._views: list[tuple[Operation, Callable[..., Any]]] = []

    def __iter__(self) -> Iterator[tuple[Operation, Callable[..., Any]]]:
        return iter(self._views)

    def get(self, path: str, summary: str, **described: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Decorates a view that answers GET; `described` are further fields of `Operation`."""
        return self._operation("get", path, summary, described)

    def post(self, path: str, summary: str, **described: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Decorates a view that answers POST; `described` are further fields of `Operation`."""
        return self._operation("post", path, summary, described)

    def at_table(
        self, path: str, summary: str, takes: type[requests.BodyType], **described: Any
    ) -> Callable[[Callable[[Table, requests.BodyType], R]], Callable[[Table, requests.BodyType], R]]:
        """Decorates a view that answers POST below a session and gets the table and the body.

        `described` as for `post`: unless it says otherwise, the view makes an entry and gives its receipt.
        """

        def add(view: Callable[[Table, requests.BodyType], R]) -> Callable[[Table, requests.BodyType], R]:
            @wraps(view)
            def answer(session: str) -> R:
                return view(host().table(session), requests.body(takes))

            fields = {"gives": responses.Receipt, "refusals": ENTRY, **described}
            self._operation("post", SESSION + path, summary, {"takes": takes, **fields})(answer)
            return view

        return add

    def _operation(
        self, method: str, path: str, summary: str, described: Json
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        def add(view: Callable[P, R]) -> Callable[P, R]:
            fields = {"name": view.__name__, **described}
            self._views.append((Operation(method=method, path=path, summary=summary, **fields), view))
            return view

        return add
