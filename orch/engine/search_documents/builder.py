"""Turns what was read of a stack into its documents."""

import collections.abc
import dataclasses
import functools
import hmac
import importlib.metadata
import secrets
import typing

from orch.db.repositories import documents
from orch.engine import dependencies
from orch.engine.search_documents import loader
from orch.engine.search_documents import outputs
from orch.engine.search_documents import templates
from orch.model import flat_fields
from orch.model import lifecycle
from orch.model import marked
from orch.model import observation
from orch.model import presigned
from orch.model import resource
from orch.model import stack as stack_model
from orch.planner import drift
from orch.plugin import resource as resource_plugin
from orch.plugin import sensitivity
from orch.rpc import contract
from orch.template import source

STACK_TYPE: typing.Final = "OS::Heat::Stack"

_USUAL_POLICY: typing.Final = "Delete"
_MOST_REASONS: typing.Final = 4000
_LONGEST: typing.Final = 4000
_MOST_CACHED: typing.Final = 64


_TEXTS: typing.Final = templates.Texts()
_RELEASE: typing.Final = importlib.metadata.version("orch")
"""Another release may make other documents of the same rows."""
_PURPOSE: typing.Final = b"orch document digest 1 "
_OWN_KEY: typing.Final = secrets.token_bytes(32)
"""Of this process, where there is no key that all workers have."""


@dataclasses.dataclass(frozen=True, slots=True)
class Built:
    """The documents of a stack that a caller does not have.

    :ivar digests: of what each of them was made of; empty for the stack
    :ivar unchanged: digests of those that it has
    """

    documents: list[contract.DocumentFacts]
    digests: list[str]
    unchanged: list[str]


class Builder:
    """Makes documents; the texts of templates are shared in the process."""

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._types = deps.types
        keys = deps.settings.seal_keys
        self._key = keys[0].encode() if keys else _OWN_KEY

    def documents(
        self,
        found: loader.Loaded,
        known: collections.abc.Collection[str],
        *,
        is_rest: bool = False,
    ) -> Built:
        """Return the document of a stack and those of its resources.

        :param known: digests of documents that are there already
        :param is_rest: the stack itself has come before
        """
        built = Built([], [], [])
        common = self._common(found)
        if not is_rest:
            built.documents.append(self._stack(found, common))
            built.digests.append("")
        basis = self._basis(found, common)
        declared = _declared(found)
        reasons = functools.lru_cache(_MOST_CACHED)(
            functools.partial(_shown_text, found)
        )
        for row in found.rows:
            description = _description(declared, row.name)
            digest = row.digest(basis, *_beside(found, row, description))
            if digest in known:
                built.unchanged.append(digest)
                continue
            each = row.resource
            document = self._resource(found, common, each)
            document["reason"] = reasons(each.status_reason)
            document["description"] = _shown_text(found, description)
            built.documents.append(document)
            built.digests.append(digest)
        return built

    def _basis(
        self, found: loader.Loaded, common: contract.DocumentFacts
    ) -> bytes:
        """Return a digest of what all documents of resources are made of.

        It is made of secrets too, hence the key. Without one that workers
        share, what another worker has answered counts as changed.
        """
        redacts = found.redacts
        text = repr(
            (
                _RELEASE,
                common,
                found.names,
                sorted(redacts.texts),
                sorted(redacts.parameters),
                redacts.is_blind,
            )
        ).encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, _PURPOSE + text, "sha256")

    def _stack(
        self, found: loader.Loaded, common: contract.DocumentFacts
    ) -> contract.DocumentFacts:
        stack = found.stack
        covered = _fields(found)
        _add_operation(covered, found)
        _add_verdicts(covered, found)
        if not found.redacts.is_blind:
            for name, value in _parameters(found):
                covered.add(f"parameters.{name}", value)
            for name, value in outputs.known(found, self._types):
                covered.add(f"outputs.{name}", value)
        _add_texts(covered, found)
        admin = _fields(found)
        _add_owners(admin, found)
        _add_decisions(admin, found, "/".join(found.names))
        return {
            **common,
            "id": f"stack/{stack.id}",
            "kind": "stack",
            "name": stack.name,
            "type": STACK_TYPE,
            "action": stack.action.value,
            "status": stack.status.value,
            "reason": _shown_text(found, stack.status_reason),
            "description": _shown_text(found, _own_description(stack)),
            "created_at": stack.created_at,
            "updated_at": (
                stack.created_at
                if stack.updated_at is None
                else stack.updated_at
            ),
            "drift": self._drift_of_stack(found),
            "fields": covered.values,
            "texts": covered.texts,
            "admin": admin.values,
        }

    def _resource(
        self,
        found: loader.Loaded,
        common: contract.DocumentFacts,
        row: resource.Resource,
    ) -> contract.DocumentFacts:
        covered = _fields(found)
        _add_about(covered, row)
        _add_values(covered, found, row, self._types.find(row.plugin_type))
        seen = found.seen.get(row.id)
        if seen is not None:
            if seen.is_vanished:
                covered.add("drift.vanished", True)
            covered.add("drift.properties", seen.properties)
        admin = _fields(found)
        if found.decisions:
            _add_decisions(admin, found, "/".join((*found.names, row.name)))
        return {
            **common,
            "id": f"resource/{row.id}",
            "kind": "resource",
            "path": flat_fields.truncate_text(
                f"{common['path']}/{row.name}", _LONGEST
            ),
            "name": row.name,
            "type": row.type_name,
            "action": row.action.value,
            "status": row.status.value,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "physical_id": _physical_id(found, row),
            "drift": "" if seen is None else seen.state.value,
            "fields": covered.values,
            "texts": covered.texts,
            "admin": admin.values,
        }

    def _common(self, found: loader.Loaded) -> contract.DocumentFacts:
        """Return what the documents of a stack have in common.

        Its path is that of the stack.
        """
        stack, root = found.stack, found.root
        return contract.DocumentFacts(
            id="",
            kind="",
            stack_id=stack.id,
            root_id=stack.root_id,
            project_id=stack.project_id,
            path=_path(found),
            name="",
            type="",
            action="",
            status="",
            reason="",
            description="",
            created_at=None,
            updated_at=None,
            physical_id="",
            owner=stack.username or root.username or "",
            tags=[each for each in found.tags if not found.redacts.has(each)],
            drift="",
            is_hidden=found.is_hidden,
            fields={},
            texts={},
            admin={},
        )

    def _drift_of_stack(self, found: loader.Loaded) -> str:
        if not found.seen:
            return ""
        seen = [each.state for each in found.seen.values()]
        for row in found.rows:
            if row.id not in found.seen:
                plugin = self._types.find(row.plugin_type)
                is_nothing = (
                    plugin is not None
                    and drift.has_no_physical_resource(plugin)
                )
                seen.append(
                    observation.State.NOTHING
                    if is_nothing
                    else observation.State.UNKNOWN
                )
        return observation.combined_state(seen).value


def _beside(
    found: loader.Loaded,
    row: documents.StoredResource,
    description: str,
) -> collections.abc.Iterator[bytes]:
    """Return what the document of a resource has besides its row.

    :param description: of the resource, in the template
    """
    yield description.encode("utf-8", "surrogatepass")
    seen = found.seen.get(row.id)
    if seen is not None:
        shown = seen.state.value, seen.is_vanished, seen.properties
        yield repr(shown).encode("utf-8", "surrogatepass")
    if found.decisions:
        path = "/".join((*found.names, row.name))
        for each in found.decisions.get(path, ()):
            yield repr((each.plugin, each.value)).encode(
                "utf-8", "surrogatepass"
            )


def _fields(found: loader.Loaded) -> flat_fields.FlatFields:
    """Return fields that take nothing of what is hidden."""
    return flat_fields.FlatFields(found.redacts.has)


def _path(found: loader.Loaded) -> str:
    return "/".join((found.root.name, *found.names))


def _shown_text(found: loader.Loaded, text: str) -> str:
    """Return a text for people without what is hidden, or is proof itself.

    Nothing of it where that is not known.
    """
    if not text or found.redacts.is_blind:
        return ""
    return flat_fields.truncate_text(found.redacts.text(text), _LONGEST)


def _physical_id(found: loader.Loaded, row: resource.Resource) -> str:
    """Return the id, unless the service made it of what is hidden."""
    text = row.physical_id or ""
    if presigned.has_presigned(text) or found.redacts.has(text):
        return ""
    return flat_fields.truncate_text(text, flat_fields.MAX_VALUE_LENGTH)


def _own_description(stack: stack_model.Stack) -> str:
    """Return it; what stands for none would be a word of every stack."""
    description = stack.description
    return "" if description == source.NO_DESCRIPTION else description


def _declared(
    found: loader.Loaded,
) -> collections.abc.Mapping[str, object]:
    """Return the resources as the template declares them."""
    if found.template is None:
        return {}
    parsed_template = found.template.template
    section = parsed_template.raw.get(parsed_template.version.format.resources)
    return section if isinstance(section, dict) else {}


def _description(
    declared: collections.abc.Mapping[str, object], name: str
) -> str:
    """Return the description of a resource in the template."""
    resource_section = declared.get(name)
    if not isinstance(resource_section, dict):
        return ""
    description = resource_section.get("description")
    return description if isinstance(description, str) else ""


def _parameters(
    found: loader.Loaded,
) -> collections.abc.Iterator[tuple[str, object]]:
    """Return the parameters that are not hidden."""
    if found.template is None:
        return
    parameters = found.template.template.parameters
    for name in parameters.schemas:
        if name not in found.redacts.parameters:
            yield name, parameters.value(name)


def _add_texts(into: flat_fields.FlatFields, found: loader.Loaded) -> None:
    """Add the template, and what the latest events say."""
    if found.template is not None:
        text = _TEXTS.of(
            found.stack.template_hash, found.template, found.redacts
        )
        if text:
            into.add_text("template", text, templates.LONGEST)
    reasons = "\n".join(
        dict.fromkeys(
            filter(None, (_shown_text(found, each) for each in found.reasons))
        )
    )
    if reasons:
        into.texts["events"] = reasons[:_MOST_REASONS]


def _add_about(into: flat_fields.FlatFields, row: resource.Resource) -> None:
    into.add("resource.mapped_type", row.mapped_type)
    into.add("resource.external_id", row.external_id)
    if row.deletion_policy != _USUAL_POLICY:
        into.add("resource.deletion_policy", row.deletion_policy)
    into.add("resource.requires", row.requires)
    if row.adopted_by is not None:
        into.add("resource.adopted", True)


def _add_values(
    into: flat_fields.FlatFields,
    found: loader.Loaded,
    row: resource.Resource,
    plugin: resource_plugin.Resource | None,
) -> None:
    """Add properties and attributes, except those with anything sensitive."""
    if found.redacts.is_blind:
        return
    sensitive = marked.names(marked.paths_of(row.properties))
    for name, value in row.properties.items():
        if name not in sensitive:
            into.add(f"properties.{name}", value)
    sensitive_attributes = sensitivity.list_sensitive(plugin, row)
    for name, value in row.attributes.items():
        if name not in sensitive_attributes:
            into.add(f"attributes.{name}", value)


def _add_operation(into: flat_fields.FlatFields, found: loader.Loaded) -> None:
    asked = found.operation
    if asked is not None:
        into.add("operation.id", asked.id)
        into.add("operation.action", asked.action.value)
        into.add("operation.state", asked.state.value)
        into.add("operation.attempts", asked.attempt)


def _add_verdicts(into: flat_fields.FlatFields, found: loader.Loaded) -> None:
    """Add the verdicts of plug-ins on the newest attempt, but allow."""
    if not found.runs:
        return
    newest: lifecycle.Run = found.runs[-1]
    for call in newest.verdicts:
        into.add("verdicts.plugin", call.plugin)
        into.add("verdicts.verdict", call.ruling or "deny")
        into.add(
            "verdicts.text", _shown_text(found, call.text or call.error or "")
        )


def _add_owners(into: flat_fields.FlatFields, found: loader.Loaded) -> None:
    stack: stack_model.Stack = found.stack
    into.add("stack.user_id", stack.user_id or found.root.user_id)
    into.add("stack.user_project_id", found.user_project)
    if found.login is not None:
        into.add("credential.user_id", found.login[0])
        into.add("credential.method", found.login[1])
    asked = found.operation
    if asked is not None:
        into.add("operation.worker", asked.owner)
        into.add("operation.user_id", asked.context.get("user_id"))
        into.add("operation.user_name", asked.context.get("user_name"))
        into.add("operation.request_id", asked.context.get("request_id"))


def _add_decisions(
    into: flat_fields.FlatFields, found: loader.Loaded, path: str
) -> None:
    if found.redacts.is_blind:
        return
    for each in found.decisions.get(path, ()):
        into.add(f"decisions.{each.plugin}", each.value)
