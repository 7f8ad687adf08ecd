"""Resource types that are known by their schema, without a plug-in.

Templates with such types are checked as all others are, and clients can read
their schemas. No resource of them can be created: a stack with one is not
accepted.
"""

import collections.abc
import threading

from oslo_config import cfg

from orch.plugin import facts
from orch.plugin import resource
from orch.plugin import type_files

OnError = collections.abc.Callable[[str, BaseException], None]
"""Called for each package, file or type that was left out, with the reason."""


class SchemaOnlyResource(resource.Resource):
    """Base of the types that are known by their schema only."""

    is_schema_only = True


def build_type(type_name: str, found: facts.Facts) -> type[SchemaOnlyResource]:
    """Return the class of a type, built from its facts.

    :raises orch.plugin.facts.BadFacts: they have not the form of
        :mod:`orch.plugin.facts`
    """
    declared = facts.read_traits(found)
    if not facts.read_text(found, "description"):
        declared["__doc__"] = (
            f"{type_name} is known by its schema; no plug-in serves it here."
        )
    return type_files.build_class(
        type_name, found, SchemaOnlyResource, declared
    )


class Catalogue:
    """The types whose facts are in the JSON files of some packages.

    A file maps names of types to their facts. It is read at the first use of
    one of its types; only the names of all types are taken at once, when
    they are first needed. May be used from several threads.
    """

    def __init__(
        self,
        packages: collections.abc.Iterable[str],
        conf: cfg.ConfigOpts,
        on_error: OnError,
    ) -> None:
        """Read nothing yet.

        :param packages: names of importable packages; of two that know one
            type, the later one counts
        :param on_error: called for each broken part that is left out
        """
        self._packages = tuple(packages)
        self._conf = conf
        self._on_error = on_error
        self._lock = threading.Lock()
        self._files: dict[str, type_files.File] | None = None
        self._made: dict[str, SchemaOnlyResource] = {}

    def names(self) -> collections.abc.Set[str]:
        """Return the names of all types that can be read."""
        with self._lock:
            return self._index().keys()

    def find(self, type_name: str) -> SchemaOnlyResource | None:
        """Return a type, or ``None`` when it is unknown."""
        found = self._made.get(type_name)
        if found is not None:
            return found
        with self._lock:
            file = self._index().get(type_name)
            if file is not None and type_name not in self._made:
                self._read(file)
            return self._made.get(type_name)

    def _index(self) -> dict[str, type_files.File]:
        """Return the file of each type."""
        if self._files is None:
            self._files = {
                type_name: file
                for file in self._all_files()
                for type_name in self._parse(file)
            }
        return self._files

    def _all_files(self) -> collections.abc.Iterator[type_files.File]:
        for package in self._packages:
            try:
                files = type_files.list_files(package)
            except Exception as error:
                self._on_error(package, error)
                continue
            yield from files

    def _parse(self, file: type_files.File) -> facts.Facts:
        """Return the facts of all types in a file; empty if it is broken."""
        try:
            return type_files.read_file(file)
        except Exception as error:
            self._on_error(str(file), error)
            return {}

    def _read(self, file: type_files.File) -> None:
        """Build the types of a file; drop those that are broken."""
        assert self._files is not None
        files = dict(self._files)
        for type_name, found in self._parse(file).items():
            if files.get(type_name) != file:
                continue
            try:
                kind = build_type(type_name, facts.check_mapping(found))
                self._made[type_name] = kind(self._conf)
            except Exception as error:
                self._on_error(type_name, error)
                del files[type_name]
        self._files = files
