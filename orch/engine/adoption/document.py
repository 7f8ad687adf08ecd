"""Write the document that a stack is adopted from, secrets in clear text.

Its form is that of Heat's export of a stack. In addition to Heat's keys,
``document_format`` is the number of the format. A resource whose creation has
an unknown outcome has ``is_outcome_unknown`` and its ``token``, a suspended
one ``is_at_rest``. ``leftovers`` lists replaced physical resources that still
exist, ``created_at`` is when a resource was created (seconds since 1970,
groups use it), and a child stack has the data and metadata of the resource
that holds it. ``signals`` is the data that signals left with a resource, and
the data of a deployment has its result under ``outcome``. With
``announcement_key`` the installation that adopts the stack announces where it
is (``orch.context.announcements``).
"""

import collections.abc
import dataclasses

from orch import ids
from orch.context import announcements
from orch.context import deadline
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import software_deployments
from orch.engine import dependencies
from orch.engine import document_leftovers
from orch.engine.acceptance import permissions
from orch.engine.adoption import derivation
from orch.engine.adoption import document_secrets
from orch.engine.adoption import forms
from orch.engine.queries import lookup
from orch.engine.stack_inputs import store
from orch.model import adoption
from orch.model import resource
from orch.model import stack
from orch.plugin import software
from orch.rpc import contract

Document = dict[str, object]


def export_document(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    secrets: contract.SecretsRequest | None = None,
) -> Document:
    """Return the document of a stack, without changing it.

    :param secrets: how secrets are written in it
    :raises orch.engine.adoption.sealing.BadKey: it cannot be sealed for that
        key
    :raises orch.engine.adoption.compact.TooLargeDocument: it is too large in
        that form
    :raises orch.errors.NotSupported: the operator has switched it off
    :raises orch.errors.NotFound: this caller has no such stack
    """
    lookup.check_exists(deps.database, ctxt, stack_id)
    permissions.check_abandon(deps)
    form = document_secrets.form_of(deps, secrets)
    derived = derivation.find_derived(deps, ctxt, ids.StackId(stack_id))

    def work(connection: db_engine.Connection) -> tuple[Document, bool]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = root_document(deps, connection, stack, derived)
        return found, stack.parent_id is not None

    found, is_child = deps.database.query(work)
    form = dataclasses.replace(form, is_child=is_child)
    return forms.write_document(deps, found, form).document


def root_document(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    derived: derivation.Derived,
) -> Document:
    """Return the document of a root stack, with its announcement key.

    :param derived: the child stacks whose inputs it leaves out
    """
    found: Document = {adoption.FORMAT: adoption.PLAIN_FORMAT}
    found |= _Writer(deps, connection, derived).document(stack)
    if deps.settings.seal_keys:
        found[adoption.KEY] = announcements.announcement_key(
            deps.settings.seal_keys[0], stack.id
        )
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the document of a stack and of its child stacks.

    :ivar derived: the child stacks whose inputs it leaves out
    """

    deps: dependencies.Dependencies
    connection: db_engine.Connection
    derived: derivation.Derived

    def document(self, stack: stack.Stack) -> Document:
        """Return the document of a stack."""
        deadline.check()
        rows = resources.list_(self.connection, stack.id)
        found: Document = {
            "name": stack.name,
            "id": stack.id,
            "action": stack.action.value,
            "status": stack.status.value,
            **self._inputs(stack),
            "tags": list(stack.tags),
            "project_id": stack.project_id,
            "stack_user_project_id": None,
            "resources": self._entries(stack, rows),
        }
        left = document_leftovers.write_leftovers(self.connection, rows)
        if left:
            found["leftovers"] = left
        return found

    def _inputs(self, stack: stack.Stack) -> Document:
        """Return the inputs of a stack, unless its adoption derives them."""
        if derivation.is_derived(self.derived, stack):
            return {}
        connection = self.connection
        return {
            "template": store.read_template(connection, stack),
            "environment": _environment(self.deps, connection, stack),
            "files": store.read_files(connection, stack),
        }

    def _entries(
        self,
        stack: stack.Stack,
        rows: collections.abc.Iterable[resource.Resource],
    ) -> Document:
        children = derivation.list_children(self.connection, stack.id)
        outputs = _deployment_outputs(self.connection, stack)
        return {
            row.name: self._entry(
                row,
                derivation.find_child(children, row),
                outputs.get(row.id, {}),
            )
            for row in rows
            if row.is_current
        }

    def _entry(
        self,
        row: resource.Resource,
        held: stack.Stack | None,
        outputs: collections.abc.Mapping[str, object],
    ) -> Document:
        """Return the entry of a resource; of a child stack its document.

        :param outputs: the result of a deployment
        """
        if held is None:
            return _leaf(row, outputs)
        found = self.document(held)
        found["resource_data"] = dict(row.data)
        found["metadata"] = dict(row.metadata)
        found["created_at"] = row.created_at
        if row.is_at_rest:
            found["is_at_rest"] = True
        return found


def _deployment_outputs(
    connection: db_engine.Connection, stack: stack.Stack
) -> dict[str, Document]:
    """Return the results of deployments, by resource id."""
    return {
        str(each.resource_id): {
            "status": each.status,
            "status_reason": each.status_reason,
            "output_values": each.output_values,
            "signal_count": each.signal_count,
        }
        for each in software_deployments.list_of_stack(connection, stack.id)
    }


def _leaf(
    row: resource.Resource,
    deployment_outputs: collections.abc.Mapping[str, object],
) -> Document:
    """Return the entry of a resource that is no child stack.

    :param deployment_outputs: the result of a deployment
    """
    data = (
        {**row.data, software.OUTCOME: deployment_outputs}
        if deployment_outputs
        else dict(row.data)
    )
    found: Document = {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type_name,
        "action": row.action.value,
        "status": row.status.value,
        "metadata": dict(row.metadata),
        "resource_data": data,
        "created_at": row.created_at,
    }
    if row.signals:
        found["signals"] = dict(row.signals)
    if row.is_at_rest:
        found["is_at_rest"] = True
    found |= document_leftovers.outcome_of(row)
    return found


def _environment(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
) -> object:
    """Return the merged environment, or the stored one if loading fails."""
    parsed_template = deps.templates.find(connection, stack)
    if parsed_template is not None:
        return parsed_template.environment
    given = store.read_inputs(connection, stack)
    found = given.environment if isinstance(given.environment, dict) else {}
    values = found.get("parameters") or {}
    return {**found, "parameters": {**values, **given.parameters}}
