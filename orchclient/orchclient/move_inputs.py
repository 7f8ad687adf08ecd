"""Writes what the root stacks get with a move: templates and files.

The template of a child stack is a text that came with its root stack: a file,
or the property ``template`` of its resource. It is written anew in its place.
"""

import collections.abc
import json
import typing

import yaml

from orchclient import errors
from orchclient import models
from orchclient import moved_declarations
from orchclient import resources as resources_
from orchclient import stacks as stacks_

Json = moved_declarations.Json
Way = collections.abc.Sequence[str]
"""Names of resources that lead from a root stack to a child stack."""

_STACK_TYPE: typing.Final = "OS::Heat::Stack"
_TEMPLATE: typing.Final = "template"
_GET_FILE: typing.Final = "get_file"
_NAMING: typing.Final = ("type", "Type", _GET_FILE)


class _Loader(yaml.SafeLoader):
    """Reads a date as text, as the service does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, each) for tag, each in known if "timestamp" not in tag]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class MoveWriter:
    """Writes the inputs of both root stacks of a move."""

    def __init__(
        self, stacks: stacks_.Stacks, resources: resources_.Resources
    ) -> None:
        self._stacks = stacks
        self._resources = resources

    def write(
        self,
        source: models.Which,
        target: models.Which,
        names: moved_declarations.Names,
        *,
        writes_source: bool = True,
    ) -> tuple[Json, Json]:
        """Return the inputs of the root of the source, and of the target.

        The second is empty where both have the same root.

        :param target: also the path of a child stack, ``site/web``
        :param writes_source: else those of the source are empty too
        :raises orchclient.errors.PackagingError: they cannot be written; the
            caller has to give them
        """
        leaving = self._stacks.show(source)
        root, way = self._locate(leaving)
        target_root, target_way = self._locate_target(target)
        tree = self._tree(root)
        target_tree = tree
        if target_root.id != root.id:
            target_tree = self._tree(target_root)
        elif not writes_source:
            return {}, {}
        leaves = moved_declarations.Source(
            leaving.name,
            tree.read(way),
            leaving.parameters,
            {
                each.name: each.physical_id
                for each in self._resources.list(leaving)
            },
        )
        if writes_source:
            left = moved_declarations.without_resources(leaves, names)
            tree.write(way, left)
        target_name = "/".join((target_root.name, *target_way))
        come = moved_declarations.with_resources(
            leaves, target_tree.read(target_way), names, target_name
        )
        target_tree.write(target_way, come)
        if target_tree is tree:
            return tree.inputs(), {}
        keys = moved_declarations.keys_of(leaves.template)
        declared = leaves.template[keys.resources]
        moving = [typing.cast(Json, declared)[name] for name in names]
        target_tree.take_files(tree.files_of(moving))
        inputs = tree.inputs() if writes_source else {}
        return inputs, target_tree.inputs()

    def _tree(self, root: models.Stack) -> "_Tree":
        environment = self._stacks.environment(root)
        return _Tree(
            root.name,
            self._stacks.template(root),
            self._stacks.files(root),
            moved_declarations.section_of(environment, "resource_registry"),
        )

    def _locate(self, stack: models.Stack) -> tuple[models.Stack, list[str]]:
        """Return the root of a stack, and the way from there."""
        way: list[str] = []
        while stack.parent_id is not None:
            parent = self._stacks.show(stack.parent_id)
            held = [
                each.name
                for each in self._resources.list(parent)
                if each.physical_id == stack.id
            ]
            if not held:
                raise errors.PackagingError(
                    stack.name,
                    "No resource holds this stack any more: nothing can come"
                    " to it or leave it.",
                )
            way.insert(0, held[0])
            stack = parent
        return stack, way

    def _locate_target(
        self, target: models.Which
    ) -> tuple[models.Stack, list[str]]:
        names = target.split("/") if isinstance(target, str) else [target]
        root, way = self._locate(self._stacks.show(names[0]))
        return root, [*way, *map(str, names[1:])]


class _Tree:
    """The templates of a root stack and of the child stacks below it."""

    def __init__(
        self,
        name: str,
        template: Json,
        files: collections.abc.Mapping[str, str],
        types: Json,
    ) -> None:
        self._name = name
        self._template = template
        self._files = dict(files)
        self._types = types
        self._changed: dict[str, str] = {}

    def inputs(self) -> Json:
        """Return what an update takes that brings the new templates."""
        return {"template": self._template, "files": dict(self._changed)}

    def read(self, way: Way) -> Json:
        """Return a copy of the template of a stack of the tree."""
        if not way:
            return typing.cast(Json, json.loads(json.dumps(self._template)))
        parent = self.read(way[:-1])
        file, text = self._place(parent, way)
        return _parse(text if file is None else self._files[file], way[-1])

    def write(self, way: Way, template: Json) -> None:
        """Replace the template of a stack of the tree.

        :raises orchclient.errors.PackagingError: its text is where it cannot
            be changed, or others use it too
        """
        if not way:
            self._template = template
            return
        parent = self.read(way[:-1])
        file, text = self._place(parent, way)
        if file is not None:
            self._check_alone(file, way)
            self._put_file(file, _text(template, self._files[file]))
        else:
            keys = moved_declarations.keys_of(parent)
            section = typing.cast(dict[str, Json], parent[keys.resources])
            properties = typing.cast(Json, section[way[-1]][keys.properties])
            properties[_TEMPLATE] = _text(template, text)
        self.write(way[:-1], parent)

    def files_of(self, declared: object) -> dict[str, str]:
        """Return the files that a part of a template names, at any depth."""
        found: dict[str, str] = {}
        waiting = self._names(declared)
        while waiting:
            name = waiting.pop()
            if name in self._files and name not in found:
                found[name] = self._files[name]
                waiting |= self._names(_content(found[name]))
        return found

    def take_files(self, files: collections.abc.Mapping[str, str]) -> None:
        """Add files that child stacks need which come to the tree.

        :raises orchclient.errors.PackagingError: one is another file here
        """
        for name, text in files.items():
            if self._files.get(name, text) != text:
                raise errors.PackagingError(
                    self._name,
                    f"The file {name} is another one here; update one of the"
                    " stacks to name it otherwise.",
                )
            self._put_file(name, text)

    def _put_file(self, name: str, text: str) -> None:
        self._files[name] = self._changed[name] = text

    def _place(self, parent: Json, way: Way) -> tuple[str | None, str]:
        """Return the file of a child's template, or the text of it.

        :raises orchclient.errors.PackagingError: it is neither
        """
        keys = moved_declarations.keys_of(parent)
        section = moved_declarations.section_of(parent, keys.resources)
        declared = moved_declarations.section_of(section, way[-1])
        kind = str(declared.get(keys.type, ""))
        name = str(self._types.get(kind, kind))
        path = "/".join((self._name, *way))
        if name in self._files:
            return name, ""
        if kind == _STACK_TYPE:
            properties = moved_declarations.section_of(
                declared, keys.properties
            )
            written = properties.get(_TEMPLATE)
            if isinstance(written, str):
                return None, written
            if isinstance(written, dict) and list(written) == [_GET_FILE]:
                return str(written[_GET_FILE]), ""
            raise errors.PackagingError(
                path,
                "The template comes from other values: write it as a text in"
                f" the property {_TEMPLATE}, or name a file there.",
            )
        raise errors.PackagingError(
            path,
            f"The template is made by {kind or 'no resource'}, and did not"
            f" come with stack {self._name} as a text of its own: give the"
            " templates of the move.",
        )

    def _check_alone(self, file: str, way: Way) -> None:
        """Raise PackagingError unless a single resource uses a file."""
        users = self._users(self._template, file, "")
        for name, text in self._files.items():
            users += self._users(_content(text), file, f" in {name}")
        if len(users) > 1:
            raise errors.PackagingError(
                "/".join((self._name, *way)),
                f"The template is the file {file}, and these use it:"
                f" {', '.join(sorted(users))}. Give it a file of its own: add"
                " a copy under another name, name that as its type, and"
                f" update stack {self._name}; then move.",
            )

    def _users(self, template: object, file: str, where: str) -> list[str]:
        if not isinstance(template, dict):
            return []
        keys = moved_declarations.keys_of(template)
        section = moved_declarations.section_of(template, keys.resources)
        found = [
            f"{name}{where}"
            for name, each in section.items()
            if file in self._names(each)
        ]
        outputs = template.get(keys.outputs)
        if file in self._names(outputs):
            found.append(f"the outputs{where}")
        return found

    def _names(self, value: object) -> set[str]:
        """Return the names of files that a part of a template has."""
        if isinstance(value, list):
            return set().union(*map(self._names, value))
        if not isinstance(value, dict):
            return set()
        found = set().union(*map(self._names, value.values()))
        for key in _NAMING:
            name = value.get(key)
            if isinstance(name, str):
                found.add(str(self._types.get(name, name)))
        return found


def _content(text: str) -> object:
    """Return what a file has, if it is a template."""
    try:
        found = yaml.load(text, _Loader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parse(text: str, name: str) -> Json:
    found = _content(text)
    if not isinstance(found, dict):
        raise errors.PackagingError(name, "The template cannot be read.")
    return typing.cast(Json, found)


def _text(template: Json, before: str) -> str:
    """Return a template as text, in the notation that it had."""
    if not before.lstrip().startswith("{"):
        text = str(
            yaml.safe_dump(template, sort_keys=False, allow_unicode=True)
        )
        if _content(text) == template:
            return text
    return json.dumps(template, indent=2)
