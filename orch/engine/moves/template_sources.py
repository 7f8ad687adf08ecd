"""Find the text of a child stack's template, and rewrite it.

The template of a child stack is a text that came with the root stack: a file,
or a property of the child's resource. To change what a child stack declares is
to change that text, wherever it is.
"""

import collections.abc
import dataclasses
import json
import typing

import yaml

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.moves import rows as move_rows
from orch.engine.stack_inputs import store
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import nested_stack
from orch.template import limits as template_limits
from orch.template import source as template_source
from orch.template import template
from orch.template.environment import registry

Map = dict[str, object]

_GET_FILE: typing.Final = "get_file"
_NAMING: typing.Final = ("type", "Type", _GET_FILE)
"""Keys of a template whose value, if it names a file, means the file."""

_UNLIMITED: typing.Final = template_limits.Limits(
    template_size=-1, resources=-1, nested_depth=-1
)


@dataclasses.dataclass(frozen=True, slots=True)
class TemplateTree:
    """The live stacks of one tree, as they were read.

    :ivar bounds: their templates, without those that cannot be read any more
    :ivar files: the files that came with the root stack
    :ivar rows: resources of the root stack
    """

    root: stack.Stack
    stacks: collections.abc.Mapping[ids.StackId, stack.Stack]
    bounds: collections.abc.Mapping[ids.StackId, template.Template]
    files: store.Files
    rows: tuple[resource.Resource, ...]

    def way(self, stack: stack.Stack) -> list[stack.Stack]:
        """Return the stacks from the root down to a stack.

        :raises orch.engine.moves.rows.CannotMove: no resource has it as its
            child stack any more
        """
        found = [stack]
        while found[0].parent_id is not None:
            around = self.stacks.get(found[0].parent_id)
            if around is None:
                raise _unheld(found[0])
            found.insert(0, around)
        return found

    def path(self, stack: stack.Stack) -> str:
        """Return the path of a stack: names of resources, from the root."""
        way = self.way(stack)[1:]
        return ".".join(str(each.parent_resource) for each in way)


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """The place of the text of a child stack's template.

    :ivar file: a file, or ...
    :ivar property_name: ... a property of the child's resource
    """

    around: stack.Stack
    resource_name: str
    file: str | None
    property_name: str


def read_tree(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    root_id: ids.StackId,
    *,
    has_children: bool,
) -> TemplateTree:
    """Return the tree of a root stack.

    :param has_children: whether child stacks matter
    """
    root = stacks.get(connection, root_id)
    tree = stacks.list_tree(connection, root_id) if has_children else [root]
    live = {each.id: each for each in tree if each.deleted_at is None}
    found = {
        each.id: deps.templates.find(connection, each)
        for each in live.values()
    }
    return TemplateTree(
        root,
        live,
        {
            key: parsed_template
            for key, parsed_template in found.items()
            if parsed_template is not None
        },
        store.read_files(connection, root),
        tuple(resources.list_(connection, root_id)),
    )


def check_settled(tree: TemplateTree, stack: stack.Stack) -> None:
    """Raise an error if a stack or a parent is not as declared.

    :raises orch.errors.NotSupported: one of them is suspended
    :raises orch.engine.moves.rows.CannotMove: one is not as declared, or not
        complete
    """
    for each in tree.way(stack):
        if each.action is states.Action.SUSPEND:
            raise errors.NotSupported(
                f"Stack {each.name} is suspended: resume it first."
            )
        if each.has_diverged:
            raise move_rows.CannotMove(
                f"Stack {each.name} was changed by its own URL, and the stack"
                f" around it declares something else: update {tree.root.name}"
                " first."
            )
        if each.status is not states.Status.COMPLETE:
            raise move_rows.CannotMove(
                f"Stack {each.name} is {each.action}_{each.status}: retry"
                f" or update {tree.root.name} first."
            )


class TemplateSources:
    """The templates of one tree, some of them rewritten.

    :ivar files: the files that are to be replaced
    """

    def __init__(
        self,
        deps: dependencies.Dependencies,
        tree: TemplateTree,
    ) -> None:
        """Begin with the templates of the tree."""
        self._deps = deps
        self._tree = tree
        self._written: dict[ids.StackId, object] = {}
        self.files: dict[str, str] = {}

    @property
    def outermost(self) -> object:
        """The template of the root stack, a map or a text."""
        root = self._tree.root.id
        return self._written.get(root, self._tree.bounds[root].raw)

    def put(self, stack: stack.Stack, written: object) -> None:
        """Replace the template of a stack; its parents must be replaced first.

        :param written: a template, a map or a text
        :raises orch.engine.moves.rows.CannotMove: its text is where it cannot
            be changed, or others use it too
        """
        self._written[stack.id] = written
        if stack.parent_id is None:
            return
        place = self._place(stack)
        if place.file is not None:
            before = self.files.get(place.file, self._tree.files[place.file])
            self.files[place.file] = _text(written, before)
            return
        around = self._map(place.around)
        keys = self._tree.bounds[place.around.id].version.format
        section = typing.cast(Map, around[keys.resources])
        holding = typing.cast(Map, section.get(place.resource_name))
        if not isinstance(holding, dict):
            raise _unheld(stack)
        properties = typing.cast(Map, holding[keys.resource.properties])
        before = str(properties[place.property_name])
        properties[place.property_name] = _text(written, before)
        self.put(place.around, around)

    def _map(self, stack: stack.Stack) -> Map:
        """Return a copy of the new template of a stack, to be changed."""
        written = self._written.get(stack.id, self._tree.bounds[stack.id].raw)
        root = template_source.read_template(written, _UNLIMITED).root
        return typing.cast(Map, json.loads(json.dumps(root)))

    def _place(self, stack: stack.Stack) -> _Place:
        """Return the place of the text of a child's template.

        :raises orch.engine.moves.rows.CannotMove: it cannot be changed there
        """
        path = self._tree.path(stack)
        around = self._tree.way(stack)[-2]
        name = str(stack.parent_resource)
        parsed_template = self._tree.bounds.get(around.id)
        declared = (
            parsed_template.resources.get(name) if parsed_template else None
        )
        if parsed_template is None or declared is None:
            raise _unheld(stack)
        file: str | None = None
        property_name = ""
        if registry.is_template(declared.type_name):
            file = declared.type_name
        else:
            plugin = self._deps.types.find(declared.type_name)
            if isinstance(plugin, nested_stack.NestedStackResource):
                property_name = plugin.template_property or ""
            if not property_name:
                raise move_rows.CannotMove(
                    f"The template of stack {path} is made by"
                    f" {declared.type_name}, and is no text of its own:"
                    " resources cannot move into it or out of it."
                )
            file = _file_of(parsed_template, name, property_name, path)
        if file is not None:
            self._check_alone(file, path)
        return _Place(around, name, file, property_name)

    def _check_alone(self, file: str, path: str) -> None:
        """Raise CannotMove unless a single resource uses a file.

        :raises orch.engine.moves.rows.CannotMove: others use it, or it did not
            come with the stack
        """
        root = self._tree.root
        if file not in self._tree.files:
            raise move_rows.CannotMove(
                f"The template {file} of stack {path} is the operator's, and"
                f" did not come with stack {root.name}: give {path} a file of"
                " its own."
            )
        users = sorted(self._users(file))
        if users != [path]:
            raise move_rows.CannotMove(
                f"The file {file} is the template of {path}, and these use"
                f" it: {', '.join(users)}. Give {path} a file of its own: add"
                f" a copy under another name, name that as its type, and"
                f" update stack {root.name}; then move."
            )

    def _users(self, file: str) -> set[str]:
        """Return the paths of all users of a file."""
        found = set()
        for key, parsed_template in self._tree.bounds.items():
            stack = self._tree.stacks[key]
            path = self._tree.path(stack)
            kinds = {
                name: declared.type_name
                for name, declared in parsed_template.resources.items()
            }
            sections = dict(parsed_template.raw)
            section = sections.pop(
                parsed_template.version.format.resources, None
            )
            written = section if isinstance(section, dict) else {}
            for name in {*kinds, *written}:
                if kinds.get(name) == file or _names(written.get(name), file):
                    found.add(".".join(filter(None, (path, name))))
            if _names(sections, file):
                found.add(f"the outputs of {path or stack.name}")
        return found


def _file_of(
    parsed_template: template.Template,
    name: str,
    property_name: str,
    path: str,
) -> str | None:
    """Return the file of a property; ``None`` where the value is a text.

    :raises orch.engine.moves.rows.CannotMove: it is neither
    """
    keys = parsed_template.version.format
    section = typing.cast(Map, parsed_template.raw[keys.resources])
    holding = typing.cast(Map, section[name])
    properties = holding.get(keys.resource.properties)
    written = (
        properties.get(property_name) if isinstance(properties, dict) else None
    )
    if isinstance(written, str):
        return None
    if isinstance(written, dict) and list(written) == [_GET_FILE]:
        return str(written[_GET_FILE])
    raise move_rows.CannotMove(
        f"The template of stack {path} comes from other values: write it as a"
        f" text in the property {property_name}, or name a file there."
    )


def _names(value: object, file: str) -> bool:
    """Whether a part of a template names a file anywhere."""
    if isinstance(value, dict):
        return any(
            (key in _NAMING and each == file) or _names(each, file)
            for key, each in value.items()
        )
    return isinstance(value, list) and any(_names(e, file) for e in value)


def _text(written: object, before: str) -> str:
    """Return a template as text, in the notation that it had.

    :param before: the text that it replaces
    """
    if isinstance(written, str):
        return written
    raw = json.loads(json.dumps(written))
    if not before.lstrip().startswith("{"):
        text = str(yaml.safe_dump(raw, sort_keys=False, allow_unicode=True))
        if template_source.read_template(text, _UNLIMITED).root == raw:
            return text
    return json.dumps(raw, indent=2)


def _unheld(stack: stack.Stack) -> move_rows.CannotMove:
    return move_rows.CannotMove(
        f"No resource holds stack {stack.name} any more: nothing can come"
        " to it or leave it."
    )
