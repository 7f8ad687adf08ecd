"""List the failures of an operation, down to the innermost stacks."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.queries import lookup
from orch.engine.stack_inputs import store
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.rpc import contract
from orch.template import errors as template_errors
from orch.template import inputs
from orch.template import source as template_source
from orch.template.environment import registry
from orch.template.text import document

_MAX_DEPTH: typing.Final = 10
_MAX_STACKS: typing.Final = 50
_UNLIMITED: typing.Final = inputs.Limits(
    template_size=-1, resources=-1, nested_depth=-1
)

Failure = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class _TemplateText:
    """The template of a stack, as a user wrote it.

    :ivar text: ``None`` where no user wrote it: a group generates its own
    :ivar around: file and place of the stack's declaration in its parent
    """

    text: document.Document | None
    around: tuple[str, document.Place] = ("", document.NOWHERE)

    def locate(self, name: str) -> tuple[str, document.Place]:
        """Return file and place of the nearest declaration."""
        if self.text is not None and self.text.has_lines and name:
            for section in ("resources", "Resources"):
                if isinstance(self.text.find((section, name)), dict):
                    place = self.text.locate((section, name))
                    if place.line:
                        return self.text.file, place
        return self.around


def list_failures(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation.Operation,
) -> list[contract.FailureFacts]:
    """Return the failures of an operation, the root cause first.

    In place of a child stack's resource come the failures in that stack.

    :param operation: an operation of the stack
    """
    if not operation.failures:
        return []
    reader = _Reader(
        deps,
        connection,
        operation,
        stack.name,
        is_last=stack.operation_id == operation.id,
    )
    return reader.read(
        stack, operation, (), _TemplateText(reader.outermost(stack))
    )


def list_of_last(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
) -> list[contract.FailureFacts]:
    """Return the failures of a stack's last operation, if it failed."""
    has_failed = stack.status is states.Status.FAILED
    if not has_failed or stack.operation_id is None:
        return []
    operation = operations.get(connection, stack.operation_id)
    return list_failures(deps, connection, stack, operation)


class _Reader:
    """Reads a tree of failures, of a limited number of stacks."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        connection: db_engine.Connection,
        outermost: operation.Operation,
        root_name: str,
        *,
        is_last: bool,
    ) -> None:
        """Prepare to read the failures of an operation.

        :param root_name: of the stack that it is an operation of

        :param is_last: it is the newest operation of its stack
        """
        self._deps = deps
        self._connection = connection
        self._outermost = outermost
        self._is_last = is_last
        self._root_name = root_name
        self._left = _MAX_STACKS

    def read(
        self,
        stack: stack.Stack,
        operation: operation.Operation,
        path: tuple[str, ...],
        written: _TemplateText,
    ) -> list[contract.FailureFacts]:
        """Return the failures of one stack and of its child stacks.

        :param path: names of the resources that lead to the stack
        :param written: its template
        """
        children = self._children(stack, path)
        found: list[contract.FailureFacts] = []
        for failure in operation.failures:
            name = str(failure["name"]) if failure.get("path") else ""
            deeper: list[contract.FailureFacts] = []
            if name in children:
                deeper = self._below(
                    stack, children[name], (*path, name), written
                )
            found += deeper or [
                self._facts(stack, failure, name, path, written)
            ]
        return found

    def outermost(self, stack: stack.Stack) -> document.Document | None:
        """Return the template that the operation gave to the root stack."""
        operation = self._outermost
        if operation.template_hash and operation.environment_hash:
            stack = dataclasses.replace(
                stack,
                template_hash=operation.template_hash,
                environment_hash=operation.environment_hash,
            )
        try:
            return store.read_document(self._connection, stack)
        except errors.NotFound:
            return None

    def _below(
        self,
        around: stack.Stack,
        stack: stack.Stack,
        path: tuple[str, ...],
        parent: _TemplateText,
    ) -> list[contract.FailureFacts]:
        operation = self._find_operation(stack)
        if operation is None or self._left <= 0:
            return []
        self._left -= 1
        written = self._written(around, path[-1])
        return self.read(
            stack,
            operation,
            path,
            _TemplateText(written, parent.locate(path[-1])),
        )

    def _find_operation(
        self, stack: stack.Stack
    ) -> operation.Operation | None:
        """Return the child operation that failed during the outermost."""
        begun, ended = self._outermost.started_at, self._outermost.finished_at
        if begun is None or ended is None:
            return None
        for found in reversed(operations.list_(self._connection, stack.id)):
            if (
                found.state is states.OperationState.FAILED
                and found.finished_at is not None
                and begun <= found.finished_at <= ended
            ):
                return found
        return None

    def _children(
        self, stack: stack.Stack, path: tuple[str, ...]
    ) -> dict[str, stack.Stack]:
        """Return the child stacks of a stack, by name of the resource."""
        if len(path) >= _MAX_DEPTH:
            return {}
        found = stacks.list_children(self._connection, stack.id)
        return {
            each.parent_resource: each
            for each in sorted(found, key=lambda each: each.created_at)
            if each.parent_resource is not None
        }

    def _written(
        self, around: stack.Stack, name: str
    ) -> document.Document | None:
        """Return the template file of a child stack."""
        parsed_template = self._deps.templates.find(self._connection, around)
        declared = (
            parsed_template.resources.get(name) if parsed_template else None
        )
        if declared is None or not registry.is_template(declared.type_name):
            return None
        file = declared.type_name
        try:
            text = store.read_files(self._connection, around).get(file)
            return (
                template_source.read_template(text, _UNLIMITED, file)
                if text
                else None
            )
        except (errors.NotFound, template_errors.FormatInvalid):
            return None

    def _facts(
        self,
        stack: stack.Stack,
        failure: Failure,
        name: str,
        path: tuple[str, ...],
        written: _TemplateText,
    ) -> contract.FailureFacts:
        file, place = written.locate(name)
        physical_id = failure.get("physical_id")
        row = self._find_unanswered(stack, failure)
        return contract.FailureFacts(
            path=[*path, name] if name else list(path),
            stack=lookup.identity_of(stack),
            type_name=str(failure.get("type", "")),
            action=str(failure.get("action", "")),
            physical_id=str(physical_id) if physical_id else None,
            reason=str(failure["reason"]),
            file=file,
            line=place.line,
            column=place.column,
            hint=self._hint([*path, name] if name else [], row),
            is_outcome_unknown=row is not None,
        )

    def _find_unanswered(
        self, stack: stack.Stack, failure: Failure
    ) -> resource.Resource | None:
        """Return the resource that failed if its outcome is unknown still."""
        if not self._is_hinted:
            return None
        found = resources.find(
            self._connection,
            ids.ResourceId(str(failure.get("resource_id"))),
            stack.id,
        )
        return found if found is not None and found.is_answerable else None

    @property
    def _is_hinted(self) -> bool:
        """Whether the newest operation failed, so that it can be retried."""
        is_failed = self._outermost.state is states.OperationState.FAILED
        return is_failed and self._is_last

    def _hint(
        self,
        path: collections.abc.Sequence[str],
        row: resource.Resource | None,
    ) -> str:
        """Return a hint what to do next.

        :param path: of the resource; empty for none
        :param row: of the resource if its outcome is unknown
        """
        if not self._is_hinted:
            return ""
        action = self._outermost.action.lower()
        if row is not None:
            return _answer_hint(self._root_name, path, action, row)
        hint = (
            f"Mend the cause, then retry the {action}: what is complete stays."
        )
        if path:
            hint += f" A retry with skip {'/'.join(path)} goes on without it."
        return hint


def _answer_hint(
    stack_name: str,
    path: collections.abc.Sequence[str],
    action: str,
    row: resource.Resource,
) -> str:
    """Return how an unknown outcome is answered.

    :param stack_name: of the root stack
    :param action: of the operation, to be retried
    """
    place = "/".join(path)
    command = f"orch resource outcome {stack_name} {place}"
    leave = "orphan" if row.is_being_deleted else "skip"
    return (
        f"Look in its service for {row.id}, then answer which id it has, or"
        f" that it was not made: {command} --is ID, or {command} --not-made."
        f" Then retry the {action}. A retry with {leave} {place} goes"
        " on without an answer."
    )
