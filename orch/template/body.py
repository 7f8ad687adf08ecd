"""Everything in a template but its parameters, parsed for their values."""

import collections.abc
import contextlib
import functools
import re

from orch.model import marked
from orch.plugin import function
from orch.plugin import nested_stack
from orch.template import errors
from orch.template import inputs
from orch.template import outputs as outputs_
from orch.template import problems
from orch.template import world as world_
from orch.template.environment import registry
from orch.template.language import conditions as conditions_
from orch.template.language import expression
from orch.template.language import formats
from orch.template.language import functions_of_version
from orch.template.language import scope as scope_
from orch.template.language import versions
from orch.template.parameters import values as parameters_
from orch.template.resources import nested_type
from orch.template.resources import resources as resources_
from orch.template.resources import type_info
from orch.template.text import document as document_

_PARTS: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("type", (str,), "string"),
    ("properties", (dict,), "object"),
    ("metadata", (dict,), "object"),
    ("depends_on", (str, list), "list or string"),
    ("deletion_policy", (str, dict), "string"),
    ("update_policy", (dict,), "object"),
    ("description", (str,), "string"),
    ("condition", (str, bool, dict), "string_or_boolean"),
    ("external_id", (str, dict), "string"),
)
_MAX_NAME_LENGTH = 255
_NO_TEXT = re.compile(r"[\x00-\x1f\ud800-\udfff]")


def parameter_group_faults(
    written: object,
    parameters: collections.abc.Collection[str],
    section: str,
) -> collections.abc.Iterator[problems.Fault]:
    """Return what is wrong with the section."""
    if not written:
        return
    if not isinstance(written, list):
        yield _fault(
            (section,), section, "The parameter_groups should be a list."
        )
        return
    grouped: set[str] = set()
    for place, group in enumerate(written):
        path = (section, place)
        if not isinstance(group, dict):
            yield _fault(path, section, "The parameter group should be a map.")
            continue
        named = f"{section}.{group.get('label', '')}"
        members = group.get("parameters")
        if not isinstance(members, list):
            yield _fault(
                path,
                named,
                "The parameters of parameter group should be a list.",
                problems.suggest_rename("parameters", group),
            )
            continue
        yield from _member_faults(members, parameters, grouped, path, named)


def _member_faults(
    members: list[object],
    parameters: collections.abc.Collection[str],
    grouped: set[str],
    group: errors.Path,
    named: str,
) -> collections.abc.Iterator[problems.Fault]:
    for place, member in enumerate(members):
        name = str(member)
        path = (*group, "parameters", place)
        if name not in parameters:
            yield _fault(
                path,
                named,
                f"The grouped parameter {name} does not reference a valid"
                " parameter.",
                problems.suggest_name(name, parameters),
            )
        elif name in grouped:
            yield _fault(
                path,
                named,
                f"The {name} parameter must be assigned to one parameter"
                " group only.",
            )
        grouped.add(name)


def _fault(
    path: errors.Path, named: str, text: str, advice: errors.Advice = ""
) -> problems.Fault:
    return problems.Fault(
        path, f"Parameter Groups error: {named}: {text}", advice=advice
    )


def _resource_faults(
    name: str, written: object, format_: formats.Format
) -> collections.abc.Iterator[problems.Fault]:
    """Return what is wrong with the form of one resource."""
    path: errors.Path = (format_.resources, name)
    if not name or "/" in name:
        yield problems.Fault(
            path, f'Resource name "{name}" must not be empty or contain "/"'
        )
    yield from _name_faults("Resource name", name, path)
    if not isinstance(written, dict):
        yield problems.Fault(
            path,
            f'"{format_.resources}" must contain a map of resource maps.'
            f" Found a [{type(written).__name__}] instead",
        )
        return
    keys = format_.resource
    if keys.type not in written:
        yield problems.Fault(
            path,
            f"Each resource must contain a {keys.type} key.",
            advice=problems.suggest_rename(keys.type, written),
        )
    elif written[keys.type] == "":
        yield problems.Fault(path, f'Resource "{name}" has no type')
    else:
        yield from _name_faults(
            "Resource type", written[keys.type], (*path, keys.type)
        )
    known = set()
    for part, types, word in _PARTS:
        key = getattr(keys, part)
        known.add(key)
        if key in written and not isinstance(written[key], types):
            yield problems.Fault(
                (*path, key), f"Resource {name} {key} type must be {word}"
            )
    if format_.is_strict and not written.keys() <= known:
        for key in written.keys() - known:
            yield problems.Fault(
                (*path, key),
                f"Invalid keyword(s) inside a resource definition: {key}",
                advice=problems.suggest_name(key, known - {None}),
            )


def _name_faults(
    what: str, name: object, path: errors.Path
) -> collections.abc.Iterator[problems.Fault]:
    """Return why nothing can be known by that name, if so."""
    if not isinstance(name, str):
        return
    if len(name) > _MAX_NAME_LENGTH:
        yield problems.Fault(
            path,
            f'{what} "{name[:40]}…" is longer than {_MAX_NAME_LENGTH}'
            " characters",
        )
    if _NO_TEXT.search(name):
        yield problems.Fault(
            path, f"{what} {name[:80]!r} holds a character that is no text"
        )


class Body:
    """Conditions, resources and outputs of one template.

    :ivar document: what they stand in
    :ivar report: what is wrong with them so far
    :ivar is_whole: all of it was parsed, but parts that are wrong
    :ivar cached_values: properties that depend on no resource, worked out
        before
    :ivar parser: parses whatever may hold functions; one thread uses it
    """

    def __init__(
        self,
        document: document_.Document,
        version: versions.Version,
        statics: scope_.Statics,
        types: type_info.TypeCatalogue,
        type_map: registry.TypeMap,
        limits: inputs.Limits,
    ) -> None:
        self.document = document
        self.report = problems.Report(
            document,
            functools.partial(functions_of_version.suggest_function, version),
        )
        self.is_whole = False
        self.cached_values: dict[str, marked.Marked] = {}
        self._root = document.root
        self._version = version
        self._format = version.format
        self._statics = statics
        self._limits = limits
        functions = functions_of_version.functions_of_version(version)
        allowed = functions_of_version.functions_in_conditions(version)
        known = functions.keys() | version.removed
        self.conditions = conditions_.Conditions(
            expression.Dialect(
                allowed, forbidden=frozenset(known - allowed.keys())
            ),
            statics,
            scope_.Budget(limits),
        )
        self.parser = expression.Parser(
            expression.Dialect(functions, version.removed),
            self.conditions.decide,
            scope_.Budget(limits),
        )
        self.resources = resources_.Resources(
            self._format, self.parser, self.conditions, types, type_map
        )
        self.outputs = outputs_.Outputs(
            self._format, self.parser, self.conditions
        )

    def read(self, parameters: parameters_.Parameters) -> None:
        """Parse all of it, and remember what is wrong."""
        self.report.extend(self._form_faults())
        self.report.extend(parameters.faults(self._format.parameters))
        if any(
            fault.kind is errors.SchemaInvalid for fault in self.report.faults
        ):
            return
        groups = self._format.parameter_groups
        if groups is not None:
            self.report.extend(
                parameter_group_faults(
                    self._root.get(groups), parameters.schemas, groups
                )
            )
        self.is_whole = True
        self.read_conditions()
        section = self._root.get(self._format.resources)
        self._check_names(parameters, section)
        self.resources.read(section, self.report)
        self.resources.connect(self.scope(world_.EmptyWorld()), self.report)
        self.outputs.read(self._root.get(self._format.outputs), self.report)

    def scope(
        self,
        world: world_.World,
        *,
        marks_unknown: bool = False,
        work: int | None = None,
    ) -> scope_.Scope:
        """Return what functions see in one pass over the template.

        :param work: what they may make, where that is less than in a pass
            over all of it
        """
        return scope_.Scope(
            self._statics,
            self.conditions,
            self.resources,
            world,
            scope_.Budget(self._limits, work),
            marks_unknown,
        )

    def type_path(self, name: str) -> errors.Path:
        """Return where the type of a resource stands."""
        return self._format.resources, name, self._format.resource.type

    def expressions(self) -> collections.abc.Iterator[expression.Expression]:
        """Return all parsed parts that read resources."""
        for parsed in self.resources.parsed.values():
            yield parsed.properties
            yield parsed.metadata
        yield from self.outputs.expressions()

    def references(self) -> collections.abc.Iterator[function.Reference]:
        """Return all resources and attributes that anything speaks of.

        A function that cannot tell fails when it is resolved, too.
        """
        scope = self.scope(world_.EmptyWorld())
        for part in self.expressions():
            if part.calls:
                with contextlib.suppress(problems.Fault):
                    for reference, _ in part.references(scope):
                        yield reference

    def attribute_uses(self) -> dict[str, frozenset[str]]:
        """Return the keys of the attributes that are read, by resource.

        Of a resource whose template says what stands for it, that as well:
        the members of a group are referred to from outside of its template.
        """
        read: dict[str, set[str]] = {
            name: {nested_stack.path_key((nested_type.STACK_ID,))}
            for name, each in self.resources.parsed.items()
            if each.nested is not None and each.nested.has_stack_id
        }
        for reference in self.references():
            names = read.setdefault(reference.resource, set())
            if reference.attribute is not None:
                path: nested_stack.Path = (reference.attribute,)
                if self.resources.is_nested_stack(reference.resource):
                    path = (*path, *reference.path)
                names.add(nested_stack.path_key(path))
            elif reference.is_open:
                names.update(
                    self.resources.attribute_names(reference.resource)
                )
        return {name: frozenset(names) for name, names in read.items()}

    def _form_faults(self) -> collections.abc.Iterator[problems.Fault]:
        sections = self._format.sections
        for name in self._root:
            if name not in sections:
                yield problems.Fault(
                    (name,),
                    f"The template section is invalid: {name}",
                    advice=problems.suggest_name(name, sections),
                )
        name = self._format.resources
        section = self._root.get(name)
        if isinstance(section, dict):
            for resource, written in section.items():
                for fault in _resource_faults(resource, written, self._format):
                    self.resources.broken.add(resource)
                    yield fault
        elif section:
            yield problems.Fault(
                (name,),
                f'"{name}" must be a map. Found a'
                f" {type(section).__name__} instead",
            )

    def _check_names(
        self, parameters: parameters_.Parameters, section: object
    ) -> None:
        if not isinstance(section, dict):
            return
        for name in section:
            if name in parameters.schemas:
                self.report.add(
                    problems.Fault(
                        (self._format.resources, name),
                        f"Duplicate names: {name} is a resource and a"
                        " parameter",
                    )
                )

    def read_conditions(self) -> None:
        """Take the section of conditions; the report hears what is wrong."""
        name = self._format.conditions
        section = self._root.get(name) if name else None
        if name is None or name not in self._root:
            return
        if not isinstance(section, dict):
            self.report.add(
                problems.Fault(
                    (name,),
                    "Conditions validation error: Condition definitions must"
                    f" be a map. Found a {type(section).__name__} instead",
                )
            )
            return
        for key, written in section.items():
            try:
                self.conditions.define(key, written, (name, key))
            except problems.Fault as fault:
                self.report.add(fault)
