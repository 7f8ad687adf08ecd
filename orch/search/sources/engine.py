"""The source that asks the workers of this installation over RPC."""

import collections.abc
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.context import request
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport
from orch.search import document
from orch.search.sources import notifications
from orch.search.sources import port

MAX_STACKS: typing.Final = 20
"""Stacks that a worker is asked for at once."""
_TRIES: typing.Final = 3
_WORKERS: typing.Final = 20
"""How many are asked, one after the other, for one that observes."""
_GONE: typing.Final = "the project has gone meanwhile"


class Unreadable(errors.OrchError):
    """No worker can read a stack; its log says why."""

    code = "orch.search.unreadable"


class EngineSource:
    """Reads stacks from workers; safe for several threads.

    It is asked by the service itself: no token of a user is part of it.
    """

    def __init__(
        self,
        client: contract.Documents,
        conf: cfg.ConfigOpts | None = None,
    ) -> None:
        """Ask through this client.

        :param conf: with the groups ``search`` and ``notifications``;
            ``None`` where notifications need not wake anything
        """
        self._client = client
        self._conf = conf

    def list_stacks(self, after: str, limit: int) -> list[str]:
        """Return ids of stacks at any depth, in order.

        :param after: only ids that sort after it; empty for the first
        :raises orch.errors.Unavailable: no worker answers
        """
        return self._client.list_stacks(_service_context(), after, limit)

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        """Read the documents of these stacks.

        :raises orch.errors.Unavailable: no worker answers
        :raises Unreadable: one of the stacks is such that it cannot be read
        """
        return self.read_changed(stack_ids, {})

    def read_changed(
        self,
        stack_ids: collections.abc.Sequence[str],
        known: collections.abc.Mapping[str, document.KnownStack],
    ) -> list[document.StackDocuments]:
        """Read what has changed of these stacks.

        :raises orch.errors.Unavailable: no worker answers
        :raises Unreadable: one of the stacks is such that it cannot be read
        """
        found: list[document.StackDocuments] = []
        for start in range(0, len(stack_ids), MAX_STACKS):
            batch = stack_ids[start : start + MAX_STACKS]
            digests = {
                each: list(known[each].ids)
                for each in batch
                if each in known and known[each].ids
            }
            answers = self._client.read(
                _service_context(), batch, digests or None
            )
            missing = set(batch) - {each["stack_id"] for each in answers}
            if missing:
                raise Unreadable(
                    f"the stack {min(missing)} cannot be read: see the log of"
                    " the workers"
                )
            found += [
                self._whole(each, known.get(each["stack_id"]))
                for each in answers
            ]
        return found

    def changes(self, position: str, limit: int) -> port.Changes:
        """Return the stacks that have changed since a position.

        :raises orch.errors.Unavailable: no worker answers
        """
        found = self._client.changes(_service_context(), position, limit)
        changed: dict[str, int] = {}
        changing: dict[str, int] = {}
        for each in found["stacks"]:
            some = changing if each["is_in_progress"] else changed
            some[each["stack_id"]] = each["version"]
        return port.Changes(
            position=found["position"],
            changed=changed,
            changing=changing,
            is_complete=found["is_complete"],
            has_more=found["has_more"],
        )

    def watch(self, wake: collections.abc.Callable[[], None]) -> port.Watch:
        """Wake after each notification, where there are any."""
        if self._conf is None or not self._conf.notifications.topics:
            return notifications.Nothing()
        found = notifications.Listener(
            self._conf, notifications.WakeRecorder(wake)
        )
        found.start()
        return found

    def confirm(self, position: str) -> None:
        """Do nothing: the engine forgets changes by their age."""

    def orphans(
        self, after: str
    ) -> collections.abc.Iterator[document.Orphans]:
        """Return the orphans of all projects, project by project.

        :param after: the project that came last; empty for the first
        :raises orch.errors.Unavailable: no worker answers
        :raises port.Unobserved: many do, and none of them observes
        """
        while page := self._orphans_after(after):
            for each in page:
                yield self._whole_project(after, each)
                after = each["project_id"]

    def _whole_project(
        self, after: str, first: contract.OrphansFacts
    ) -> document.Orphans:
        """Return a project with all pages of its orphans.

        A type that could not be listed for one of them is unlisted. So is
        what is left of a project that is gone meanwhile.

        :param after: the project before it
        """
        found = {each.id: each for each in _documents(first["documents"])}
        unlisted = _unlisted(first)
        rest = first.get("rest")
        while rest:
            page = self._orphans_after(after, rest)
            if not page or page[0]["project_id"] != first["project_id"]:
                unlisted |= dict.fromkeys(rest["types"], _GONE)
                break
            found |= {x.id: x for x in _documents(page[0]["documents"])}
            unlisted |= _unlisted(page[0])
            rest = page[0].get("rest")
        return document.Orphans(
            project_id=first["project_id"],
            read_at=clock.Timestamp(first["read_at"]),
            documents=tuple(found.values()),
            unlisted_types=unlisted,
        )

    def _orphans_after(
        self, after: str, rest: contract.OrphansRest | None = None
    ) -> list[contract.OrphansFacts]:
        """Return the next projects, of a worker that observes.

        Calls go to one worker after the other, and not all of them need to
        observe.
        """
        for _ in range(_WORKERS):
            page = self._client.orphans(_service_context(), after, rest)
            if not page or page[0]["project_id"]:
                return page
        raise port.Unobserved(
            "no worker that was asked compares stacks with their physical"
            " resources (yet); where none ever does, set [observer] enabled on"
            " one"
        )

    def _whole(
        self,
        first: contract.StackDocumentsFacts,
        base: document.KnownStack | None,
    ) -> document.StackDocuments:
        """Return a stack with the resources that are left.

        Where it changes meanwhile it is read again, a few times. What is
        kept then has the version that it began with, so that a caller that
        was given a later one reads again.
        """
        found, is_same = self._followed(first, base)
        for _ in range(_TRIES - 1):
            if is_same:
                break
            again = self._client.read(_service_context(), [first["stack_id"]])
            if not again:
                raise Unreadable(
                    f"the stack {first['stack_id']} cannot be read: see the"
                    " log of the workers"
                )
            found, is_same = self._followed(again[0], None)
        return found

    def _followed(
        self,
        first: contract.StackDocumentsFacts,
        base: document.KnownStack | None,
    ) -> tuple[document.StackDocuments, bool]:
        """Return a stack, and whether it was the same to the end.

        Of one that was not it is not known what is covered in all of it: it
        says nothing, so whatever comes next lets it be no former state.
        Workers of earlier releases do not tell at all.
        """
        redacted = first.get("redacted", document.UNKNOWN_REDACTION)
        pages: list[
            contract.StackDocumentsFacts | contract.ResourceDocumentsFacts
        ] = [first]
        following, is_same = first["next"], True
        while following is not None and is_same:
            page = self._client.resources(
                _service_context(),
                first["stack_id"],
                following,
                () if base is None else list(base.ids),
            )
            pages.append(page)
            following = page["next"]
            is_same = page["version"] == first["version"]
        found = _documents(one for each in pages for one in each["documents"])
        digests = _digests(pages)
        unchanged = {} if base is None else _unchanged(pages, base)
        for each in found:
            unchanged.pop(each.id, None)
        return (
            document.StackDocuments(
                stack_id=first["stack_id"],
                version=first["version"],
                read_at=clock.Timestamp(first["read_at"]),
                documents=found,
                redacted=frozenset(redacted if is_same else ()),
                base=base if unchanged else None,
                unchanged=frozenset(unchanged),
                digests={**unchanged, **digests},
            ),
            is_same,
        )


def build_source(conf: cfg.ConfigOpts) -> EngineSource:
    """Return the source of the installation whose bus the options name."""
    caller = transport.Caller(
        transport.build_transport(conf), conf.api.rpc_timeout
    )
    return EngineSource(proxy.proxy(contract.Documents, caller), conf)


def _unlisted(facts: contract.OrphansFacts) -> dict[str, str]:
    """Return why types could not be listed; earlier workers do not tell."""
    return {
        one["type"]: one["reason"] for one in facts.get("unlisted_types", ())
    }


def _documents(
    found: collections.abc.Iterable[contract.DocumentFacts],
) -> tuple[document.Document, ...]:
    """Return the documents; of two with one id the later counts."""
    return tuple(
        {
            each["id"]: document.Document.from_facts(each) for each in found
        }.values()
    )


_Pages = collections.abc.Sequence[
    contract.StackDocumentsFacts | contract.ResourceDocumentsFacts
]


def _digests(pages: _Pages) -> dict[str, str]:
    """Return the digests of documents, by id; earlier workers have none."""
    return {
        each["id"]: digest
        for page in pages
        for each, digest in zip(
            page["documents"], page.get("digests", ()), strict=False
        )
        if digest
    }


def _unchanged(pages: _Pages, base: document.KnownStack) -> dict[str, str]:
    """Return the digests of what is as it was, by id."""
    return {
        base.ids[digest]: digest
        for page in pages
        for digest in page.get("unchanged", ())
    }


def _service_context() -> request.RequestContext:
    return request.RequestContext(user_name="orch-search")
