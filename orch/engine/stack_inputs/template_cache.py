"""Cache of the loaded templates of stored stacks."""

import collections.abc
import dataclasses
import json
import logging
import threading

import cachetools

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import contents
from orch.engine.stack_inputs import store
from orch.model import stack
from orch.plugin import registry
from orch.template import inputs
from orch.template import template
from orch.template.environment import installation

LOG = logging.getLogger(__name__)

_MAX_TEMPLATES = 256
_MAX_RESOURCES = 20_000


@dataclasses.dataclass(frozen=True, slots=True)
class Readable:
    """The template of a stored stack.

    :ivar source: as it came; empty where it was not a text
    """

    template: template.Template
    source: str


class TemplateCache:
    """Cache of stored stacks' templates; the least recently used leave it."""

    def __init__(
        self,
        types: registry.ResourceTypes,
        limits: inputs.Limits,
        max_templates: int = _MAX_TEMPLATES,
        max_resources: int = _MAX_RESOURCES,
        *,
        installed: installation.Installation = installation.NO_INSTALLATION,
    ) -> None:
        """Begin with an empty cache.

        :param limits: limits of the size of a request do not apply here: a
            stack that was accepted stays readable when they are lowered
        :param max_templates: templates in memory at once
        :param max_resources: resources of all cached templates together; one
            template is cached however large it is
        :param installed: the environment below those of all stacks
        """
        self._types = types
        self._installed = installed
        self._limits = dataclasses.replace(
            limits, template_size=-1, resources=-1
        )
        least = max_resources / max_templates
        self._cache: cachetools.LRUCache[store.Key, template.Template] = (
            cachetools.LRUCache(
                max_resources,
                lambda each: min(max(_size(each), least), max_resources),
            )
        )
        self._lock = threading.Lock()

    def load(
        self, connection: db_engine.Connection, stack: stack.Stack
    ) -> template.Template:
        """Return the template of a stack with all its inputs.

        :raises orch.errors.Invalid: the plug-ins of today refuse it
        """
        key = store.key_of(stack)
        with self._lock:
            found = self._cache.get(key)
        if found is not None:
            found.parameters.collect_hidden()
            return found
        found = self._load(stack, _inputs(connection, stack))
        self.add(stack, found)
        return found

    def _load(
        self, stack: stack.Stack, given: inputs.Inputs
    ) -> template.Template:
        return template.Template.load(
            given,
            self._types,
            inputs.Identity(stack.id, stack.name, stack.project_id),
            self._limits,
            installed=self._installed,
        )

    def find(
        self, connection: db_engine.Connection, stack: stack.Stack
    ) -> template.Template | None:
        """Return the template; ``None`` when today's plug-ins refuse it."""
        try:
            return self.load(connection, stack)
        except errors.Invalid:
            return None

    def find_many(
        self,
        connection: db_engine.Connection,
        stacks: collections.abc.Iterable[stack.Stack],
    ) -> dict[store.Key, Readable | None]:
        """Return the templates of many stacks, with a few statements.

        The value is ``None`` for one that cannot be read. Cached templates are
        used, and the loaded ones do not replace them in the cache.
        """
        stacks_by_key = {store.key_of(each): each for each in stacks}
        texts = contents.find_many(
            connection,
            [
                hash_
                for key in stacks_by_key
                for hash_ in (key.template_hash, key.environment_hash)
            ],
        )
        environments = {
            key.environment_hash: json.loads(texts[key.environment_hash])
            for key in stacks_by_key
            if key.environment_hash in texts
        }
        texts |= contents.find_many(
            connection,
            {
                hash_
                for each in environments.values()
                for hash_ in (*each["files"].values(), each.get("source"))
                if hash_
            },
        )
        return {
            key: self._bind(
                each, environments.get(key.environment_hash), texts
            )
            for key, each in stacks_by_key.items()
        }

    def _bind(
        self,
        stack: stack.Stack,
        environment: store.Environment | None,
        texts: collections.abc.Mapping[str, str],
    ) -> Readable | None:
        key = store.key_of(stack)
        if environment is None:
            return None
        source = texts.get(environment.get("source") or "", "")
        with self._lock:
            known = self._cache.get(key)
        if known is not None:
            return Readable(known, source)
        try:
            given = store.assembled(
                json.loads(texts[key.template_hash]),
                environment,
                {
                    name: texts[hash_]
                    for name, hash_ in environment["files"].items()
                },
                source,
            )
            return Readable(self._load(stack, given), source)
        except KeyError as error:
            why = f"content {error} is missing"
        except errors.OrchError as error:
            why = error.message
        LOG.warning("no template of stack %s: %s", stack.id, why)
        return None

    def add(
        self, stack: stack.Stack, parsed_template: template.Template
    ) -> None:
        """Add the template of a stack to the cache."""
        with self._lock:
            self._cache[store.key_of(stack)] = parsed_template


def _inputs(
    connection: db_engine.Connection, stack: stack.Stack
) -> inputs.Inputs:
    try:
        return store.read_inputs(connection, stack)
    except errors.NotFound as error:
        # Not the caller's mistake: it must not read as "no such stack".
        raise errors.OrchError(
            f"contents of stack {stack.id} are missing: {error.message}"
        ) from error


def _size(parsed_template: template.Template) -> int:
    """Return how many resources a template declares, without parsing them."""
    section = parsed_template.raw.get(parsed_template.version.format.resources)
    return len(section) if isinstance(section, dict) else 0
