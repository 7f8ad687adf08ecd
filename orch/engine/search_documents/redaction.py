"""What is sensitive in stacks, for their documents, and names of it.

By the names an index sees that more of a stack is sensitive than before, and
forgets what the stack was: a former state would show that in plain. So
whatever makes a value vanish from documents has to change the names:

* ``stack``: only administrators find it; ``everything``: what is sensitive
  cannot be known;
* ``parameters.NAME`` and ``resources.NAME.properties.NAME``: places of
  something sensitive;
* ``value …``: a fingerprint of each value of a sensitive parameter. It comes
  where such a value becomes another one, and no name of a place does.

A fingerprint needs a key that readers of the index do not have: the one of
``[signals] seal_keys``. Without one the operation that was requested last
stands in for the values.
"""

import base64
import collections.abc
import hashlib
import hmac
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import secret_rows
from orch.engine import dependencies
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import store
from orch.engine.stack_inputs import template_cache
from orch.model import marked
from orch.model import resource
from orch.model import stack as stack_model
from orch.template import template

STACK: typing.Final = "stack"
EVERYTHING: typing.Final = "everything"

_PURPOSE: typing.Final = b"orch hidden value 1 "
_FINGERPRINT: typing.Final = 16
"""Bytes; two texts have the same one by no accident that will ever happen."""

_Stacks = collections.abc.Iterable[stack_model.Stack]


class StackSecrets:
    """What is sensitive in some stacks, those that are gone among them."""

    def __init__(
        self,
        connection: db_engine.Connection,
        deps: dependencies.Dependencies,
        subjects: collections.abc.Collection[stack_model.Stack],
        known: collections.abc.Mapping[ids.StackId, stack_model.Stack],
        inner: collections.abc.Mapping[ids.StackId, list[stack_model.Stack]],
    ) -> None:
        """Read their templates, and the secrets of their trees.

        :param known: these stacks and all around them
        :param inner: the stacks in each, at any depth
        """
        self._known = known
        self._inner = inner
        self._hidden_tags = frozenset(deps.settings.hidden_tags)
        # Without a key no fingerprints are made: see above.
        self._key = "".join(deps.settings.seal_keys[:1]).encode()
        self._templates = deps.templates.find_many(
            connection,
            (
                source
                for stack in subjects
                for place in self._tree(stack)
                for source in store.sources(place)
            ),
        )
        self._rows: dict[ids.StackId, list[resource.Resource]] = {}
        root_ids = {each.root_id for each in subjects}
        for row in secret_rows.list_in_trees(connection, root_ids):
            self._rows.setdefault(row.stack_id, []).append(row)
        self._texts: dict[store.Key, frozenset[str] | None] = {}
        self._found: dict[ids.StackId, redaction.Redaction] = {}

    def template_of(
        self, stack: stack_model.Stack
    ) -> template_cache.Readable | None:
        """Return the template in force; ``None`` where it is unreadable."""
        return self._templates[store.key_of(stack)]

    def outer(self, stack: stack_model.Stack) -> tuple[stack_model.Stack, ...]:
        """Return the stacks around a stack, the root first."""
        found: list[stack_model.Stack] = []
        place = self._known.get(stack.parent_id or ids.StackId(""))
        while place is not None:
            found.insert(0, place)
            place = self._known.get(place.parent_id or ids.StackId(""))
        return tuple(found)

    def redaction_of(self, stack: stack_model.Stack) -> redaction.Redaction:
        """Return what is redacted in a stack: all secrets of its tree."""
        if stack.id not in self._found:
            self._found[stack.id] = self._make(stack)
        return self._found[stack.id]

    def _make(self, stack: stack_model.Stack) -> redaction.Redaction:
        texts = list(self._parameter_texts(stack))
        if None in texts:
            return redaction.BLIND
        rows = (
            row
            for place in self._tree(stack)
            for row in self._rows.get(place.id, ())
        )
        return redaction.Redaction(
            tree_secrets.of_rows(rows).union(*(each or () for each in texts)),
            parameters=frozenset().union(
                *(each.sensitive_parameters for each in self._readable(stack))
            ),
        )

    def is_hidden(self, stack: stack_model.Stack) -> bool:
        """Answer whether only administrators find a stack."""
        return not self._hidden_tags.isdisjoint(self.tags(stack))

    def tags(self, stack: stack_model.Stack) -> list[str]:
        """Return the tags of a stack and of the root around it."""
        root = (*self.outer(stack), stack)[0]
        return list(dict.fromkeys((*stack.tags, *root.tags)))

    def names(self, stack: stack_model.Stack) -> frozenset[str]:
        """Return the names of what may not be seen of a stack."""
        found = {STACK} if self.is_hidden(stack) else set()
        redacts = self.redaction_of(stack)
        if redacts.is_blind:
            return frozenset((*found, EVERYTHING))
        found.update(f"parameters.{each}" for each in redacts.parameters)
        found.update(
            f"resources.{row.name}.properties.{name}"
            for row in self._rows.get(stack.id, ())
            for name in marked.names(marked.paths_of(row.properties))
        )
        found.update(self._values(stack))
        return frozenset(found)

    def _values(
        self, stack: stack_model.Stack
    ) -> collections.abc.Iterator[str]:
        """Return what stands for the values of sensitive parameters."""
        if self._key:
            purpose = _PURPOSE + stack.root_id.encode()
            key = hmac.digest(self._key, purpose, hashlib.sha256)
            for text in frozenset().union(
                *(each or () for each in self._parameter_texts(stack))
            ):
                told = text.encode("utf-8", "surrogatepass")
                found = hmac.digest(key, told, hashlib.sha256)[:_FINGERPRINT]
                yield f"value {base64.b64encode(found).decode()}"
            return
        for place in self._tree(stack):
            if any(
                self._texts_of(store.key_of(each))
                for each in store.sources(place)
            ):
                yield f"values of {place.operation_id}"

    def _parameter_texts(
        self, stack: stack_model.Stack
    ) -> collections.abc.Iterator[frozenset[str] | None]:
        for place in self._tree(stack):
            for each in store.sources(place):
                yield self._texts_of(store.key_of(each))

    def _tree(self, stack: stack_model.Stack) -> tuple[stack_model.Stack, ...]:
        """Return a stack, those around it and those in it."""
        inner = self._inner.get(stack.id, ())
        return (stack, *self.outer(stack), *inner)

    def _readable(self, stack: stack_model.Stack) -> list[template.Template]:
        """Return the templates that the resources may be of."""
        found = [
            self._templates[store.key_of(each)]
            for each in store.sources(stack)
        ]
        return [each.template for each in found if each is not None]

    def _texts_of(self, key: store.Key) -> frozenset[str] | None:
        """Return the sensitive parameters of a template, as texts.

        :returns: ``None`` where they cannot be known
        """
        if key not in self._texts:
            found = self._templates[key]
            try:
                self._texts[key] = (
                    None
                    if found is None
                    else tree_secrets.of_parameters(found.template)
                )
            except errors.OrchError:
                self._texts[key] = None
        return self._texts[key]
