"""Resource types that are known by their schema, without a plug-in.

Templates with such types are checked as all others are, and clients can read
their schemas. No resource of them can be created: a stack with one is not
accepted.
"""

import collections.abc
import importlib.resources
import importlib.resources.abc
import threading
import typing

import orjson
from oslo_config import cfg

from orch.plugin import facts
from orch.plugin import resource

OnError = collections.abc.Callable[[str, BaseException], None]
"""Called for each package, file or type that was left out, with the reason."""

File = importlib.resources.abc.Traversable

_SUFFIX: typing.Final = ".json"
_STATUSES: typing.Final = ("SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")
_FACTS: typing.Final = frozenset(
    {
        "name",
        "description",
        "properties",
        "attributes",
        "support_status",
        "update_policy",
        "members",
        "can_snapshot",
        "shows_any_attribute",
        "accepts_any_property",
    }
)


class SchemaOnlyResource(resource.Resource):
    """Base of the types that are known by their schema only."""

    is_schema_only = True


def build_type(type_name: str, found: facts.Facts) -> type[SchemaOnlyResource]:
    """Return the class of a type, built from its facts.

    :raises orch.plugin.facts.BadFacts: they have not the form of
        :mod:`orch.plugin.facts`
    """
    facts.check_names(found, _FACTS)
    name = facts.read_text(found, "name") or type_name.rpartition(":")[2]
    built = type(
        name,
        (SchemaOnlyResource,),
        {
            "__doc__": facts.read_text(found, "description")
            or _unserved(type_name),
            "type_name": type_name,
            "properties": facts.read_properties(found.get("properties") or {}),
            "attributes": facts.read_attributes(found.get("attributes") or {}),
            "update_policy": facts.read_properties(
                found.get("update_policy") or {}
            ),
            "members": facts.read_members(found["members"])
            if "members" in found
            else None,
            "support_status": _support_status(found),
            "can_snapshot": facts.read_flag(found, "can_snapshot"),
            "accepts_any_property": facts.read_flag(
                found, "accepts_any_property"
            ),
            "shows_any_attribute": facts.read_flag(
                found, "shows_any_attribute"
            ),
        },
    )
    assert issubclass(built, SchemaOnlyResource)
    return built


def _support_status(found: facts.Facts) -> str:
    status = facts.read_text(found, "support_status")
    if status and status not in _STATUSES:
        raise facts.BadFacts(
            f"{status} is no support_status; there are {', '.join(_STATUSES)}"
        )
    return status or _STATUSES[0]


def _unserved(type_name: str) -> str:
    return f"{type_name} is known by its schema; no plug-in serves it here."


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
        self._files: dict[str, File] | None = None
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

    def _index(self) -> dict[str, File]:
        """Return the file of each type."""
        if self._files is None:
            self._files = {
                type_name: file
                for file in self._all_files()
                for type_name in self._parse(file)
            }
        return self._files

    def _all_files(self) -> collections.abc.Iterator[File]:
        for package in self._packages:
            try:
                folder = importlib.resources.files(package)
                files = [
                    file
                    for file in folder.iterdir()
                    if file.name.endswith(_SUFFIX)
                ]
            except Exception as error:
                self._on_error(package, error)
                continue
            yield from sorted(files, key=lambda file: file.name)

    def _parse(self, file: File) -> facts.Facts:
        """Return the facts of all types in a file; empty if it is broken."""
        try:
            return facts.check_mapping(orjson.loads(file.read_bytes()))
        except Exception as error:
            self._on_error(str(file), error)
            return {}

    def _read(self, file: File) -> None:
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
