"""Things that stand in the world and belong to no stack of anybody.

Only where workers observe: looking for them asks the services about all that
a project has.
"""

import logging
import random
import typing

from orch import clock
from orch import errors
from orch import redacted
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import orphans
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.flow.state import contexts
from orch.model import flat_fields
from orch.plugin import listing
from orch.plugin import resource
from orch.rpc import contract

LOG = logging.getLogger(__name__)

MOST: typing.Final = 5000
"""Orphans that are told of at once; the rest of a project's comes later."""

_LONGEST_REASON: typing.Final = 300

_Things = dict[tuple[str, str], listing.PhysicalResource]
"""By type and physical id."""


def list_(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    after: str,
    rest: contract.OrphansRest | None = None,
) -> list[contract.OrphansFacts]:
    """Return the orphans of the next project that has stacks.

    The services are asked in the name of one of its stacks, as fast as the
    observer may ask them. What a type does not tell in time is left out, and
    the type is among those that were not listed.

    Of more than :data:`MOST` the first come, by type and physical id, and
    with them where to go on. The types that are left are asked again then.

    :param after: the project that came last; empty for the first
    :param rest: what was left of the project behind it
    :returns: nothing where there is no further project; one without a
        project where this worker does not observe
    """
    if not deps.settings.observes:
        return [_facts("", deps.clock.now(), [], [], None)]

    def work(
        connection: db_engine.Connection,
    ) -> tuple[clock.Timestamp, orphans.Speaker | None]:
        return (
            functions.read_clock(connection),
            orphans.find_speaker(connection, after),
        )

    now, speaker = deps.database.query(work)
    if speaker is None:
        return []
    things, unlisted = _list(deps, speaker, rest)
    owned = deps.database.query(
        lambda connection: _owned(connection, deps, speaker.project_id, things)
    )
    found = sorted(things.keys() - owned)
    documents = [
        _document(speaker.project_id, key[0], things[key])
        for key in found[:MOST]
    ]
    left = _left(found)
    return [_facts(speaker.project_id, now, documents, unlisted, left)]


def _left(
    found: list[tuple[str, str]],
) -> contract.OrphansRest | None:
    """Return where to go on behind those that there is room for."""
    if len(found) <= MOST:
        return None
    last_type, last_id = found[MOST - 1]
    types = sorted({type_name for type_name, _ in found[MOST:]})
    return {"types": types, "past": last_id if types[0] == last_type else ""}


def _facts(
    project_id: str,
    read_at: clock.Timestamp,
    found: list[contract.DocumentFacts],
    unlisted: list[contract.UnlistedFacts],
    rest: contract.OrphansRest | None,
) -> contract.OrphansFacts:
    return contract.OrphansFacts(
        project_id=project_id,
        read_at=read_at,
        documents=found,
        unlisted_types=unlisted,
        rest=rest,
    )


def _list(
    deps: dependencies.Dependencies,
    speaker: orphans.Speaker,
    rest: contract.OrphansRest | None,
) -> tuple[_Things, list[contract.UnlistedFacts]]:
    """Return what all types list, or those that are left, and why some do not.

    Of the first type that is left only what comes behind what was told.
    """
    reads = deps.reads.begin()
    things: _Things = {}
    unlisted: list[contract.UnlistedFacts] = []
    plugins = [
        each
        for each in _listing(deps)
        if rest is None or each.type_name in rest["types"]
    ]
    told = (rest["types"][0], rest["past"]) if rest else ("", "")
    # Where there is time for some of them only, these shall be others each
    # time.
    for plugin in random.sample(plugins, len(plugins)):
        try:
            listed = _things(deps, reads, plugin, speaker)
        except errors.OrchError as error:
            LOG.debug("%s tells of no orphans: %s", plugin.type_name, error)
            reason = redacted.cut(str(error), _LONGEST_REASON)
            unlisted.append({"type": plugin.type_name, "reason": reason})
        else:
            for each in listed:
                key = plugin.type_name, each.physical_id
                if key > told:
                    things[key] = each
    return things, sorted(unlisted, key=lambda each: each["type"])


def _listing(
    deps: dependencies.Dependencies,
) -> list[resource.Resource]:
    """Return the types that can tell what there is.

    One that lacks what it needs has no things here.
    """
    return [
        plugin
        for plugin in deps.types.served()
        if type(plugin).list_physical_resources
        is not resource.Resource.list_physical_resources
        and plugin.lacks is None
    ]


def _things(
    deps: dependencies.Dependencies,
    reads: plugin_reads.ReadBudget,
    plugin: resource.Resource,
    speaker: orphans.Speaker,
) -> list[listing.PhysicalResource]:
    """Return what a type lists; nothing where it cannot list.

    :raises orch.errors.OrchError: it does not tell, or not in time
    """
    requested_by = request.RequestContext.from_stored(speaker.context)
    wanted = listing.PhysicalResourceFilter(
        acts_for=speaker.stack_id, is_of_project=True
    )

    def ask() -> list[listing.PhysicalResource]:
        return list(plugin.list_physical_resources(requested_by, wanted) or ())

    if not deps.pace(speaker.project_id, plugin.type_name, reads.left_s):
        raise plugin_reads.TooLate(
            "its turn has not come in time: [observer] calls_per_second and"
            " call_burst let no more calls through"
        )
    try:
        return reads.run(ask)
    except plugin_reads.TooLate:
        LOG.warning("%s was not asked for orphans in time", plugin.type_name)
        raise
    except errors.OrchError:
        raise
    except Exception as error:
        LOG.exception("%s cannot tell of orphans", plugin.type_name)
        raise plugin_reads.ReadFailed(
            f"{type(error).__name__}: {error}"
        ) from error


def _owned(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    project_id: str,
    things: _Things,
) -> set[tuple[str, str]]:
    """Return those of a project's things that stacks have.

    An id counts whichever project's stack knows it; a name is known only in
    its own.
    """
    wanted = {
        physical_id
        for each in things.values()
        for physical_id in (each.physical_id, *each.held_by)
    }
    known = orphans.list_owned(connection, wanted)
    anywhere = {physical_id for _, physical_id in known}
    here = {each for project, each in known if project == project_id}
    here |= _held(connection, deps, project_id)
    anywhere |= here
    return {
        key
        for key, each in things.items()
        if each.physical_id in (here if each.is_named else anywhere)
        or not anywhere.isdisjoint(each.held_by)
    }


def _held(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    project_id: str,
) -> set[str]:
    """Return what resources of a project have beside their own things."""
    plugins = {
        each.type_name: each
        for each in deps.types.served()
        if type(each).holds is not resource.Resource.holds
    }
    held: set[str] = set()
    for each in orphans.list_holders(connection, project_id, plugins):
        name = contexts.build_physical_name(
            each.stack_name, each.name, each.id
        )
        held.update(plugins[each.type_name].holds(name, each.data))
    return held


def _document(
    project_id: str, type_name: str, thing: listing.PhysicalResource
) -> contract.DocumentFacts:
    physical_id = flat_fields.truncate_text(
        thing.physical_id, flat_fields.MAX_VALUE_LENGTH
    )
    name = flat_fields.truncate_text(thing.name, flat_fields.MAX_VALUE_LENGTH)
    return contract.DocumentFacts(
        id=f"orphan/{project_id}/{type_name}/{physical_id}",
        kind="orphan",
        stack_id="",
        root_id="",
        project_id=project_id,
        path=name or physical_id,
        name=name or physical_id,
        type=type_name,
        action="",
        status="",
        reason="",
        description="",
        created_at=None,
        updated_at=None,
        physical_id=physical_id,
        owner="",
        tags=[],
        drift="",
        is_hidden=False,
        fields={},
        texts={},
        admin={},
    )
