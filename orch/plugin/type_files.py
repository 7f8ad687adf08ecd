"""Read types from the JSON files of a package, by name.

A file maps names of types to their facts (:mod:`orch.plugin.facts`);
``service`` beside them is for the readers that know it. A class
with code takes the declarations of its type from the files of its own package
(:func:`described`); one without code is built from them.
"""

import collections.abc
import importlib.resources
import importlib.resources.abc
import typing

import orjson

from orch.plugin import facts
from orch.plugin import traits

File = importlib.resources.abc.Traversable

SERVICE: typing.Final = "service"
"""What the types of a file share; no name of a type."""
_SUFFIX: typing.Final = ".json"

Kind = typing.TypeVar("Kind", bound=traits.Traits)


def list_files(package: str) -> list[File]:
    """Return the files with types of a package, by name.

    :raises Exception: whatever the import of the package raises
    """
    found = importlib.resources.files(package).iterdir()
    return sorted(
        (file for file in found if file.name.endswith(_SUFFIX)),
        key=lambda file: file.name,
    )


def read_file(file: File) -> facts.Facts:
    """Return the facts of all types of a file.

    :raises orch.plugin.facts.BadFacts: it is no map
    :raises ValueError: it is no JSON
    """
    return facts.check_mapping(orjson.loads(file.read_bytes()))


def find_file(package: str, type_name: str) -> facts.Facts:
    """Return the facts of all types of the file that has a type.

    Files without the name are not parsed, those that cannot be are skipped:
    who lists the types of the package reports them.

    :raises orch.plugin.facts.BadFacts: no file has it
    """
    for file in list_files(package):
        text = file.read_bytes()
        if type_name.encode() not in text:
            continue
        try:
            found = facts.check_mapping(orjson.loads(text))
        except (facts.BadFacts, ValueError):
            continue
        if type_name in found:
            return found
    raise facts.BadFacts(
        f"no JSON file of the package {package} describes {type_name}; add it"
        " to one"
    )


def read_type(package: str, type_name: str) -> facts.Facts:
    """Return the facts of a type, from the file of a package that has it.

    :raises orch.plugin.facts.BadFacts: no file has it, or they are no map
    """
    return facts.check_mapping(find_file(package, type_name)[type_name])


def described(
    type_name: str,
) -> collections.abc.Callable[[type[Kind]], type[Kind]]:
    """Return what gives a class the declarations of a type.

    They are in a file of the package that the class is in. What they do not
    mention the class inherits.

    :raises orch.plugin.facts.BadFacts: the decorator does so, where no file
        has the type, or its facts have another form
    """

    def describe(kind: type[Kind]) -> type[Kind]:
        package = kind.__module__.rpartition(".")[0]
        kind.type_name = type_name
        declared = facts.read_traits(read_type(package, type_name))
        for name, value in declared.items():
            setattr(kind, name, value)
        return kind

    return describe


def build_class(
    type_name: str,
    found: facts.Facts,
    base: type[Kind],
    declared: collections.abc.Mapping[str, object],
) -> type[Kind]:
    """Return a class without code for a type.

    :param found: the facts with its name and description
    :param declared: the attributes of the class
    """
    name = facts.read_text(found, "name") or type_name.rpartition(":")[2]
    description = facts.read_text(found, "description")
    own = {
        "__doc__": description or base.__doc__,
        "__module__": base.__module__,
        "type_name": type_name,
    }
    return type(name, (base,), {**own, **declared})
