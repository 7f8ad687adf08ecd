"""A namespace of a contract of its own, for tests of what serves one."""

import typing

from orch.context import request
from orch.rpc.contract import methods


@methods.namespace("shelf")
class Shelf(typing.Protocol):
    """Books on a shelf."""

    @methods.reads(added=("page",))
    def find(
        self,
        ctxt: request.RequestContext,
        title: str,
        *,
        exact: bool = False,
        page: int | None = None,
    ) -> list[str]:
        """Return the books of a title."""

    @methods.changes(once=True)
    def place(
        self,
        ctxt: request.RequestContext,
        title: str,
        row: int = 1,
    ) -> str:
        """Place a book, and return where."""

    @methods.changes(sent="cast")
    def dust(self, ctxt: request.RequestContext) -> None:
        """Hint that there is dust."""

    def burn(self, ctxt: request.RequestContext, **books: str) -> None:
        """Burn books; it has no mark."""

    def _secret(self, ctxt: request.RequestContext) -> None:
        """Belong to no contract."""
