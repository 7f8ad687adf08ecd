"""Saves searches under names, for a user or for a project."""

import collections.abc
import hashlib
import re
import typing

import orjson

from orch import clock
from orch import errors
from orch.context import request
from orch.rpc import contract
from orch.rpc.contract import saved_searches
from orch.search.index import port

_ATTEMPTS: typing.Final = 20
_NAME: typing.Final = re.compile(saved_searches.NAME_PATTERN)

_Group: typing.TypeAlias = dict[str, contract.SavedSearchFacts]
"""The searches of a user in a project, or those that it shares, by name."""


class SavedSearches:
    """The saved searches of all projects.

    Those of a group are one text of the store, so that a limit counts all of
    them.
    """

    def __init__(self, store: port.SavedStore, clock_: clock.Clock) -> None:
        self._store = store
        self._clock = clock_

    def save(
        self,
        ctxt: request.RequestContext,
        saved: contract.SavedSearchInput,
        *,
        is_new: bool,
    ) -> contract.SavedSearchFacts:
        """Save a search; without ``is_new`` it replaces that of the name.

        :raises orch.errors.Conflict: ``is_new``, and the name is in use
        :raises orch.errors.LimitExceeded: it is too large, or one too many
        :raises orch.errors.Invalid: it has no such name or description
        """
        _check(saved)
        facts: contract.SavedSearchFacts = {
            **saved,
            "saved_by": ctxt.user_id or "",
            "saved_at": self._clock.now(),
        }
        name = saved["name"]

        def put(group: _Group) -> None:
            if name in group and is_new:
                raise errors.Conflict(
                    f"There is a saved search {name} already. Replace it, or"
                    " give another name."
                )
            if name not in group and len(group) >= saved_searches.MAX_SEARCHES:
                raise errors.LimitExceeded(
                    f"There are {len(group)} saved searches, which is the"
                    " most. Delete one first."
                )
            group[name] = facts

        self._change(_key(ctxt, is_shared=saved["is_shared"]), put)
        return facts

    def list(
        self, ctxt: request.RequestContext
    ) -> list[contract.SavedSearchFacts]:
        """Return the searches of the user and the project, by name."""
        found = [
            each
            for is_shared in (False, True)
            for each in self._read(_key(ctxt, is_shared=is_shared))[0].values()
        ]
        return sorted(found, key=lambda each: each["name"])

    def find(
        self, ctxt: request.RequestContext, name: str
    ) -> contract.SavedSearchFacts:
        """Return the search of the user; without one, that of the project.

        :raises orch.errors.NotFound: there is none
        """
        for is_shared in (False, True):
            group, _ = self._read(_key(ctxt, is_shared=is_shared))
            if name in group:
                return group[name]
        raise _missing(name)

    def forget(
        self, ctxt: request.RequestContext, name: str, *, is_shared: bool
    ) -> None:
        """Delete a search.

        :raises orch.errors.NotFound: there is none
        """

        def remove(group: _Group) -> None:
            if group.pop(name, None) is None:
                raise _missing(name, is_shared=is_shared)

        self._change(_key(ctxt, is_shared=is_shared), remove)

    def _read(self, key: str) -> tuple[_Group, int]:
        found = self._store.read(key)
        if found is None:
            return {}, 0
        return orjson.loads(found.text), found.version

    def _change(
        self, key: str, change: collections.abc.Callable[[_Group], None]
    ) -> None:
        for _ in range(_ATTEMPTS):
            group, version = self._read(key)
            change(group)
            text = orjson.dumps(group).decode()
            if self._store.write(key, text, version):
                return
        raise errors.Unavailable(
            "Others change the same saved searches all the time. Try again"
            " later."
        )


def _key(ctxt: request.RequestContext, *, is_shared: bool) -> str:
    """Return the key of a group, of any project and user."""
    owner = None if is_shared else ctxt.user_id or ""
    text = orjson.dumps([ctxt.project_id or "", owner])
    return hashlib.blake2b(text, digest_size=32).hexdigest()


def _check(saved: contract.SavedSearchInput) -> None:
    """Raise ``Invalid`` if a search cannot be saved."""
    if not _NAME.fullmatch(saved["name"]):
        message = (
            "a name has up to 100 letters, digits, - . and _, and begins with"
            " a letter or digit"
        )
        raise errors.invalid_at("name", message)
    if len(saved["description"]) > saved_searches.MAX_DESCRIPTION_LENGTH:
        raise errors.LimitExceeded(
            "description: there are more than"
            f" {saved_searches.MAX_DESCRIPTION_LENGTH} characters"
        )
    size = len(orjson.dumps(saved["search"]))
    if size > saved_searches.MAX_SEARCH_BYTES:
        raise errors.LimitExceeded(
            f"search: it has {size} bytes, of"
            f" {saved_searches.MAX_SEARCH_BYTES} at most"
        )


def _missing(name: str, *, is_shared: bool = False) -> errors.NotFound:
    shared = " shared" if is_shared else ""
    return errors.NotFound(f"There is no{shared} saved search {name[:100]}.")
