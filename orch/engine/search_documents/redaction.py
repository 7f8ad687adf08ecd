"""Knows what may not be seen of stacks, and gives it names.

By the names an index sees that a stack hides more than before, and forgets
what the stack was: a former state would show that in plain. So whatever makes
a value vanish from documents has to change the names:

* ``stack``: only administrators find it; ``everything``: nobody can tell
  what is hidden, or it may be anywhere;
* ``parameters.NAME``, ``outputs.NAME``, ``resources.NAME.attributes`` and
  ``resources.NAME.properties.NAME``: places where something hidden may be;
* ``value …``: a fingerprint of each text that is looked for everywhere. It
  comes where such a text becomes another one, and no name of a place does.
  A secret that a resource has made up needs none: before it was made nobody
  could show it.

A fingerprint needs a key that whoever reads the index does not have: the one
of ``[signals] seal_keys``. Without one the operation that was asked for last
stands in for the texts.
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
from orch.engine.secrets import generated
from orch.engine.secrets import masks
from orch.engine.secrets import named
from orch.engine.secrets import taint
from orch.engine.stack_inputs import store
from orch.engine.stack_inputs import template_cache
from orch.model import resource
from orch.model import secret_types
from orch.model import stack as stack_model
from orch.template import template

STACK: typing.Final = "stack"
EVERYTHING: typing.Final = "everything"

_PURPOSE: typing.Final = b"orch hidden value 1 "
_FINGERPRINT: typing.Final = 16
"""Bytes; two texts have the same one by no accident that will ever happen."""


_Ids = collections.abc.Mapping[str, str]
"""Physical ids by the names of resources."""
_Stacks = collections.abc.Iterable[stack_model.Stack]


class Covering:
    """What is hidden in some stacks, those that are gone among them."""

    def __init__(
        self,
        connection: db_engine.Connection,
        deps: dependencies.Dependencies,
        subjects: _Stacks,
        known: collections.abc.Mapping[ids.StackId, stack_model.Stack],
        inner: collections.abc.Mapping[ids.StackId, list[stack_model.Stack]],
    ) -> None:
        """Read their templates.

        :param known: these stacks and all around them
        :param inner: the stacks in each, at any depth
        """
        self._known = {
            **known,
            **{each.id: each for found in inner.values() for each in found},
        }
        self._inner = inner
        self._hidden_tags = frozenset(deps.settings.hidden_tags)
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
        self._masks: dict[ids.StackId, masks.Masks] = {}
        self._hidings: dict[ids.StackId, tuple[taint.Hiding, ...]] = {}
        self._followed: dict[ids.StackId, tuple[taint.Hiding, ...]] = {}
        self._hidden: dict[store.Key, frozenset[str] | None] = {}
        self._telling: dict[ids.StackId, dict[ids.StackId, _Ids]] = {}
        places = {
            place.id: place
            for stack in subjects
            for place in self._tree(stack)
        }
        self._made = self._read_made(connection, places.values())
        self._named = self._read_named(connection, places.values())

    def _read_made(
        self, connection: db_engine.Connection, places: _Stacks
    ) -> dict[ids.StackId, set[str]]:
        """Return the secrets that resources have made up, by stack."""
        wanted = [
            each.id
            for each in places
            if any(map(generated.of, self._readable(each)))
        ]
        found: dict[ids.StackId, set[str]] = {}
        if wanted:
            for row in secret_rows.list_by_types(
                connection, wanted, secret_types.TYPES
            ):
                text = secret_types.secret_of(
                    row.plugin_type, row.attributes, row.data
                )
                if text:
                    found.setdefault(row.stack_id, set()).add(text)
        return found

    def _read_named(
        self, connection: db_engine.Connection, places: _Stacks
    ) -> dict[ids.StackId, list[resource.Resource]]:
        """Return the resources whose ids may be made of what is hidden."""
        wanted = {
            each.id: {
                name
                for found in self._by_attributes(each)
                for name in found.resources
            }
            for each in places
        }
        asked = [stack_id for stack_id, names in wanted.items() if names]
        found: dict[ids.StackId, list[resource.Resource]] = {}
        if asked:
            for row in secret_rows.list_named(connection, asked):
                if row.name in wanted[row.stack_id]:
                    found.setdefault(row.stack_id, []).append(row)
        return found

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

    def masks_of(self, stack: stack_model.Stack) -> masks.Masks:
        """Return what covers all that the tree hides, from any stack of it.

        What a stack in the stack hides may come back as its attribute.
        """
        if stack.id not in self._masks:
            self._masks[stack.id] = self._make_masks(stack)
        return self._masks[stack.id]

    def _make_masks(self, stack: stack_model.Stack) -> masks.Masks:
        own = [
            self._templates[store.key_of(each)]
            for each in store.sources(stack)
        ]
        others = [
            self._texts_of(store.key_of(each))
            for place in self._tree(stack)
            if place is not stack
            for each in store.sources(place)
        ]
        texts = self._made_in(stack).union(
            *(each or () for each in others),
            *(
                named.find_literals(each)
                for place in self._tree(stack)
                for each in self._readable(place)
            ),
        )
        is_blind = None in own or None in others

        def made(more: frozenset[str] = frozenset()) -> masks.Masks:
            return masks.Masks(
                [each.template for each in own if each is not None],
                is_blind=is_blind,
                texts=texts | more,
            )

        try:
            found = made()
            told = self._find_telling(stack, found)
            return made(frozenset().union(*told)) if told else found
        except errors.OrchError:
            return masks.Masks([], is_blind=True)

    def _made_in(self, stack: stack_model.Stack) -> frozenset[str]:
        """Return the secrets that resources of a tree have made up."""
        return frozenset().union(
            *(self._made.get(each.id, ()) for each in self._tree(stack))
        )

    def _find_telling(
        self, stack: stack_model.Stack, covers: masks.Masks
    ) -> list[collections.abc.Collection[str]]:
        """Return the ids that are made of what is hidden, in a whole tree.

        Where it was altered on the way nobody could tell by the id.

        :param covers: knows what else is hidden
        """
        found: dict[ids.StackId, _Ids] = {}
        for place in self._tree(stack):
            hidings = self._by_attributes(place)
            told = {
                row.name: row.physical_id or ""
                for row in self._named.get(place.id, ())
                if not generated.is_made_up(row.name, row.physical_id or "")
                and (
                    any(row.name in each.altered for each in hidings)
                    or covers.tells_part(row.physical_id or "")
                )
            }
            if told:
                found[place.id] = told
        self._telling[stack.id] = found
        return [told.values() for told in found.values()]

    def hidings_of(self, stack: stack_model.Stack) -> tuple[taint.Hiding, ...]:
        """Return where hidden values may go, by templates that are read.

        Also by an id, where one was made of what is hidden.
        """
        self.masks_of(stack)
        telling = self._telling.get(stack.id, {}).get(stack.id, {})
        return tuple(
            generated.extended(
                parsed_template, places, telling=frozenset(telling)
            )
            for parsed_template, places in zip(
                self._readable(stack),
                self._by_attributes(stack),
                strict=True,
            )
        )

    def _by_attributes(
        self, stack: stack_model.Stack
    ) -> tuple[taint.Hiding, ...]:
        """Return where they may go by attributes alone."""
        if stack.id not in self._followed:
            below = self._hiding_below(stack)
            self._followed[stack.id] = tuple(
                generated.extended(parsed_template, places, below)
                for parsed_template, places in zip(
                    self._readable(stack),
                    self._foreseen(stack),
                    strict=True,
                )
            )
        return self._followed[stack.id]

    def _foreseen(self, stack: stack_model.Stack) -> tuple[taint.Hiding, ...]:
        """Return where they may go, whichever stacks are in it by now.

        What is given to a stack in it is seen by this, so that one is read
        the same alone and with those around it.
        """
        if stack.id not in self._hidings:
            outer = self._known.get(stack.parent_id or ids.StackId(""))
            around = () if outer is None else self._foreseen(outer)
            self._hidings[stack.id] = tuple(
                generated.extended(
                    parsed_template,
                    taint.within(
                        parsed_template,
                        taint.given_by(
                            around,
                            stack.parent_resource or "",
                            parsed_template,
                        ),
                    ),
                )
                for parsed_template in self._readable(stack)
            )
        return self._hidings[stack.id]

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
        covers = self.masks_of(stack)
        if covers.is_blind:
            return frozenset((*found, EVERYTHING))
        for parsed_template, places in zip(
            self._readable(stack), self.hidings_of(stack), strict=True
        ):
            found.update(_places(parsed_template, places))
        found.update(self._values(stack, covers))
        return frozenset(found)

    def _values(
        self, stack: stack_model.Stack, covers: masks.Masks
    ) -> collections.abc.Iterator[str]:
        """Return what stands for the texts that are looked for."""
        if self._key:
            purpose = _PURPOSE + stack.root_id.encode()
            key = hmac.digest(self._key, purpose, hashlib.sha256)
            for text in covers.texts - self._made_in(stack):
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

    def _tree(self, stack: stack_model.Stack) -> tuple[stack_model.Stack, ...]:
        """Return a stack, those around it and those in it."""
        inner = self._inner.get(stack.id, ())
        return (stack, *self.outer(stack), *inner)

    def _readable(self, stack: stack_model.Stack) -> list[template.Template]:
        """Return the templates that what stands may be of."""
        found = [
            self._templates[store.key_of(each)]
            for each in store.sources(stack)
        ]
        return [each.template for each in found if each is not None]

    def _hiding_below(self, stack: stack_model.Stack) -> frozenset[str]:
        """Return the resources whose stacks, at any depth, hide something."""
        below = {each.id: each for each in self._inner.get(stack.id, ())}
        found = set()
        for each in below.values():
            if any(
                self._texts_of(store.key_of(source)) != frozenset()
                for source in store.sources(each)
            ) or any(map(generated.of, self._readable(each))):
                top = each
                while top.parent_id in below:
                    top = below[top.parent_id]
                found.add(top.parent_resource or "")
        return frozenset(found)

    def _texts_of(self, key: store.Key) -> frozenset[str] | None:
        """Return what a template hides; ``None`` where nobody can tell."""
        if key not in self._hidden:
            found = self._templates[key]
            try:
                self._hidden[key] = (
                    None
                    if found is None
                    else masks.hidden_texts(found.template)
                )
            except errors.OrchError:
                self._hidden[key] = None
        return self._hidden[key]


def _places(
    parsed_template: template.Template, places: taint.Hiding
) -> collections.abc.Iterator[str]:
    """Return the names of the places where something hidden may be.

    By the template, whatever of it stands: a resource that comes into being
    later hides nothing more then.
    """
    if places.is_anywhere:
        yield EVERYTHING
        return
    for name in places.parameters:
        yield f"parameters.{name}"
    outputs = parsed_template.raw.get(parsed_template.version.format.outputs)
    if isinstance(outputs, dict):
        for name, written in outputs.items():
            if places.mentions(written):
                yield f"outputs.{name}"
    for each in places.resources:
        yield f"resources.{each}.attributes"
        given = taint.properties(parsed_template, each)
        names = given if isinstance(given, dict) else {"": given}
        for name in names:
            if places.hides(each, name, names):
                yield f"resources.{each}.properties.{name}"
