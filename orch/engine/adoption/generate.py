"""Generate template and adoption document of existing physical resources.

They describe the current state of the physical resources, so that their
adoption finds nothing to change. Nothing is stored, and no physical resource
is changed.
"""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch.context import outside
from orch.context import request
from orch.db.repositories import ownership
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.acceptance import permissions
from orch.engine.adoption import generated_template
from orch.engine.queries import errors as engine_errors
from orch.flow.state import claims
from orch.flow.state import id_scopes
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import nested_stack
from orch.plugin import resource
from orch.rpc import contract
from orch.template import errors as template_errors
from orch.template import inputs
from orch.template import template

_NAME: typing.Final = "generated"
_OWNED: typing.Final = "belongs to a stack of this installation already"

_Key = tuple[str, str]
"""Type and physical id."""
_Candidates = dict[_Key, "_Candidate"]


class UnreadableResource(errors.Invalid):
    """No template can be written of a physical resource."""

    code = "orch.adoption.unreadable"


@dataclasses.dataclass(frozen=True, slots=True)
class _Candidate:
    """A physical resource that the request names or a type lists."""

    plugin: resource.Resource
    listed: listing.PhysicalResource
    is_named: bool = False

    @property
    def key(self) -> _Key:
        return (self.plugin.type_name, self.listed.physical_id)


def generate_template(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: contract.GenerationRequest,
) -> contract.GenerationFacts:
    """Return a document and template to adopt physical resources from.

    Listed ones that a stack owns are omitted, and the answer names those of
    the caller's project. Named ones that a stack owns are refused.

    :raises UnreadableResource: a type cannot list, or a physical resource
        cannot be read
    :raises orch.flow.state.claims.AlreadyOwned: a stack owns a physical
        resource that was named
    :raises orch.errors.NotFound: no plug-in serves a type
    :raises orch.template.errors.TooLarge: more than a stack may have
    :raises orch.errors.NotSupported: the operator has switched adoption off
    """
    permissions.check_adopt(deps)
    reads = deps.reads.begin()
    named = [_named(deps, ctxt, each) for each in request.get("resources", ())]
    listed = [
        each
        for listing_request in request.get("listings", ())
        for each in _list(deps, ctxt, reads, listing_request)
    ]
    wanted = {each.key: each for each in [*listed, *named]}
    owners = _find_owners(deps, ctxt, wanted)
    omitted = _take_owned(ctxt, wanted, owners)
    if len(wanted) > deps.limits.resources >= 0:
        raise template_errors.TooLarge(
            f"{len(wanted)} physical resources are more than the"
            f" {deps.limits.resources} resources that a stack may have:"
            " restrict the listings."
        )
    physical_resources = _read(deps, ctxt, reads, list(wanted.values()))
    # Who can read one may know that a stack of another project owns it.
    _refuse_owned(key for key in owners if key in wanted)
    found = generated_template.write_template(physical_resources)
    _check(deps, ctxt, found)
    return contract.GenerationFacts(
        document=_document(found, physical_resources), omitted=omitted
    )


def _named(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: contract.PhysicalResource,
) -> _Candidate:
    listed = listing.PhysicalResource(
        physical_id=request["physical_id"], name=request.get("name", "")
    )
    return _Candidate(
        _plugin(deps, ctxt, request["type_name"]), listed, is_named=True
    )


def _plugin(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    type_name: str,
) -> resource.Resource:
    """Return the plug-in of a type whose physical resources are read.

    :raises orch.errors.Forbidden: the caller may not have the type
    """
    found = deps.types.find(type_name)
    if found is None:
        raise engine_errors.TypeNotFound(
            f"The Resource Type ({type_name[:255]}) could not be found."
        )
    permissions.type_check(deps, ctxt)(type_name)
    # A type that is known but not served raises its error here.
    plugin = deps.types.get(type_name)
    if isinstance(plugin, nested_stack.NestedStackResource):
        raise UnreadableResource(
            f"{type_name} does not exist by itself: name its parts."
        )
    return plugin


def _list(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    reads: plugin_reads.ReadBudget,
    request: contract.ListingRequest,
) -> list[_Candidate]:
    """Return the physical resources that a type lists.

    :raises UnreadableResource: the type cannot list
    """
    plugin = _plugin(deps, ctxt, request["type_name"])
    wanted = listing.PhysicalResourceFilter(
        name=request.get("name"), tag=request.get("tag")
    )

    def ask() -> list[listing.PhysicalResource] | None:
        found = plugin.list_physical_resources(ctxt, wanted)
        return None if found is None else list(found)

    found = reads.ask(plugin, ask)
    if found is None:
        raise UnreadableResource(
            f"{plugin.type_name} cannot list physical resources: name them by"
            " their ids."
        )
    return [_Candidate(plugin, each) for each in found]


_Owners = dict[_Key, list[ownership.Owner]]


def _find_owners(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: _Candidates,
) -> _Owners:
    """Return the owners of candidates that the caller's project respects."""
    project_id = ctxt.project_id or ""
    account = id_scopes.account_of(project_id, ctxt)
    keys = [
        ownership.PhysicalKey(
            *each.key, id_scopes.find_scope(each.plugin, account, {})
        )
        for each in wanted.values()
    ]
    found = deps.database.query(
        lambda connection: claims.find_owners(connection, deps.types, keys)
    )
    respected = {
        (key.type_name, key.physical_id): [
            each for each in owners if each.is_in(project_id)
        ]
        for key, owners in found.items()
    }
    return {key: owners for key, owners in respected.items() if owners}


def _take_owned(
    ctxt: request.RequestContext, wanted: _Candidates, owners: _Owners
) -> list[contract.OmittedResource]:
    """Remove the candidates that a stack owns already.

    What the request names, and only stacks of other projects own, is read
    before.

    :returns: those of them that the caller may know of
    :raises orch.flow.state.claims.AlreadyOwned: the request names one by its
        id
    """
    known = {
        key
        for key, found in owners.items()
        if ctxt.other_projects is not request.OtherProjects.MISSING
        or any(each.project_id == ctxt.project_id for each in found)
    }
    _refuse_owned(key for key in known if wanted[key].is_named)
    for key in owners:
        if not wanted[key].is_named:
            del wanted[key]
    return [
        contract.OmittedResource(
            type_name=type_name, physical_id=physical_id, reason=_OWNED
        )
        for type_name, physical_id in sorted(known)
    ]


def _refuse_owned(keys: collections.abc.Iterable[_Key]) -> None:
    """Refuse to write a template of what stacks own.

    :raises orch.flow.state.claims.AlreadyOwned: there is any
    """
    problems = [
        errors.Problem(f"{physical_id} ({type_name}) {_OWNED}")
        for type_name, physical_id in keys
    ]
    if problems:
        listed = "; ".join(each.message for each in problems)
        raise claims.AlreadyOwned(
            f"No template is written of {listed[:2000]}.", problems
        )


def _read(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    reads: plugin_reads.ReadBudget,
    wanted: collections.abc.Sequence[_Candidate],
) -> list[generated_template.PhysicalResource]:
    """Return the physical resources with their names and properties.

    :raises UnreadableResource: has a problem for each that cannot be read
    """
    names = generated_template.choose_names(
        [
            (each.listed.name, each.plugin.type_name, each.is_named)
            for each in wanted
        ]
    )
    problems: list[errors.Problem] = []
    physical_resources: list[generated_template.PhysicalResource] = []
    for name, each in zip(names, wanted, strict=True):
        context = _context(deps, ctxt, name, each.listed)
        place = f"{each.listed.physical_id} ({each.plugin.type_name})"
        try:
            found = reads.ask(
                each.plugin,
                functools.partial(each.plugin.get_reality, context),
            )
        except outside.REFUSALS:
            raise
        except errors.OrchError as error:
            problems.append(errors.Problem(f"{place}: {error.message}"))
            continue
        if found is None:
            problems.append(
                errors.Problem(
                    f"{place} cannot be read: its type does not report"
                    " properties"
                )
            )
            continue
        physical_resources.append(
            generated_template.PhysicalResource(
                name=name,
                plugin=each.plugin,
                physical_id=each.listed.physical_id,
                reference=each.plugin.reference_id(
                    dataclasses.replace(context, properties=found)
                ),
                properties=found,
                data=each.listed.data,
            )
        )
    _refuse(problems)
    return physical_resources


def _refuse(problems: collections.abc.Sequence[errors.Problem]) -> None:
    if problems:
        listed = "; ".join(each.message for each in problems)
        raise UnreadableResource(
            f"No template can be written of {listed[:2000]}.", problems
        )


def _context(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    listed: listing.PhysicalResource,
) -> call_context.Context:
    """Return the call context of a physical resource that no stack has yet."""
    return call_context.Context(
        request=ctxt,
        stack_id="",
        stack_name=_NAME,
        name=name,
        token="",
        attempt=1,
        physical_name=listed.name or name,
        physical_id=listed.physical_id,
        properties={},
        metadata={},
        data=listed.data,
        started_at=deps.clock.now(),
        stack_project=ctxt.project_id or "",
    )


def _check(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: dict[str, object],
) -> None:
    """Raise Invalid if the generated template is not valid.

    :raises orch.errors.Invalid: a plug-in read a value that it would not
        accept
    """
    who = inputs.Identity("None", _NAME, ctxt.project_id or "")
    template.Template.load(
        inputs.Inputs(found),
        deps.types,
        who,
        deps.limits,
        installed=deps.installed,
    ).validate(permissions.type_check(deps, ctxt))


def _document(
    found: dict[str, object],
    physical_resources: collections.abc.Sequence[
        generated_template.PhysicalResource
    ],
) -> dict[str, object]:
    return {
        "template": found,
        "environment": {},
        "files": {},
        "resources": {
            each.name: {
                "name": each.name,
                "resource_id": each.physical_id,
                "type": each.plugin.type_name,
                "resource_data": dict(each.data),
                "metadata": {},
            }
            for each in physical_resources
        },
    }
