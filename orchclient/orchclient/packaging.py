"""Collects what a template includes, so that it can be sent in one request.

Files have the names by which the server looks them up: relative to the
directory of the template, so that the same files are the same request wherever
they lie; what comes from a web server bears its URL. Texts stay as they are
written, lines included, except for names that mean another file from where the
root template is.
"""

import collections.abc
import dataclasses
import json
import pathlib
import typing

from orchclient import documents
from orchclient import errors
from orchclient import file_loader

_NAMES: typing.Final = ("template", "stack", "main")
_ENVIRONMENTS: typing.Final = ("environment", "env")
_ENDINGS: typing.Final = (".yaml", ".yml", ".template", ".json")
_PARAMETERS: typing.Final = "parameters-of-the-request.json"
_MAX_FILES: typing.Final = 1000

Document = str | collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A template with all that it needs.

    :ivar template: text, or a map
    :ivar files: name to text; binary content is in base64, as Heat's clients
        have it
    :ivar environment: text, or a map; none where there are
        ``environment_files``
    :ivar environment_files: names in ``files``, or in the container of a
        request; each counts more than the one before
    :ivar places: name of a file to where it was read, the template's own is
        the empty one; for messages
    """

    template: Document
    files: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    environment: Document | None = None
    environment_files: tuple[str, ...] = ()
    places: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )

    def with_parameters(
        self, parameters: collections.abc.Mapping[str, object]
    ) -> "Package":
        """Return the package with values that override all environments.

        Files of environments count more than the ``parameters`` of a request:
        Heat has decided so. Hence the values become the last of the files.
        """
        name = _PARAMETERS
        while name in self.files:
            name = f"_{name}"
        text = json.dumps({"parameters": dict(parameters)}, default=str)
        return dataclasses.replace(
            self,
            files={**self.files, name: text},
            environment_files=(*self.environment_files, name),
        )

    def body(self) -> dict[str, object]:
        """Return the package as a request body."""
        body: dict[str, object] = {
            "template": self.template,
            "files": dict(self.files),
        }
        if self.environment is not None:
            body["environment"] = self.environment
        if self.environment_files:
            body["environment_files"] = list(self.environment_files)
        return body


def collect_package(
    template: str | pathlib.Path,
    environments: collections.abc.Iterable[str | pathlib.Path] = (),
    *,
    loader: file_loader.Loader | None = None,
) -> Package:
    """Collect a template with the files it includes, at any depth.

    Included are what ``get_file`` names, templates that are types (names that
    end in ``.yaml`` or ``.template``), and what the ``resource_registry`` of
    an environment maps to such names.

    :param template: path or URL
    :param environments: paths or URLs, those that count most last
    :param loader: reads files and URLs
    :raises orchclient.errors.PackagingError: something cannot be read, or a
        document from the web includes a local file
    """
    collection = _Collection(template, loader or file_loader.Loader())
    names = tuple(map(collection.add_environment, environments))
    return collection.package(names)


def from_directory(
    directory: str | pathlib.Path,
    environments: collections.abc.Iterable[str | pathlib.Path] | None = None,
) -> Package:
    """Collect the template of a directory with the files it includes.

    The template is ``template``, ``stack`` or ``main``, with the ending
    ``.yaml``, ``.yml``, ``.template`` or ``.json``, or the only such file
    with a version of the template language in it.

    :param environments: ``None``: ``environment`` or ``env`` with such an
        ending, if there is one
    :raises orchclient.errors.PackagingError: there is none, or more than one
    """
    place = pathlib.Path(directory)
    if environments is None:
        found = _named(place, _ENVIRONMENTS)
        environments = found[:1]
    return collect_package(_template_of(place), environments)


def package_alone(
    template: str | pathlib.Path,
    environments: collections.abc.Iterable[str] = (),
) -> Package:
    """Return a template alone; a container has the files it includes.

    :param template: path, URL, or a directory as for :func:`from_directory`
    :param environments: names of files there, those that count most last
    :raises orchclient.errors.PackagingError: it cannot be read
    """
    place = file_loader.place_of(template)
    if not file_loader.is_web(place) and pathlib.Path(place).is_dir():
        place = file_loader.place_of(_template_of(pathlib.Path(place)))
    return Package(
        template=file_loader.Loader().text(place),
        environment_files=tuple(environments),
        places={"": place},
    )


def _template_of(directory: pathlib.Path) -> pathlib.Path:
    named = _named(directory, _NAMES)
    if named:
        return named[0]
    found = [
        path
        for path in sorted(directory.iterdir() if directory.is_dir() else ())
        if path.suffix in _ENDINGS
        and path.is_file()
        and documents.is_template(file_loader.Loader().text(str(path)))
    ]
    if len(found) != 1:
        what = ", ".join(path.name for path in found) or "none"
        raise errors.PackagingError(
            str(directory),
            f"One template was expected, found: {what}. Call it"
            f" {_NAMES[0]}{_ENDINGS[0]}, or name the file.",
        )
    return found[0]


def _named(
    directory: pathlib.Path, names: collections.abc.Iterable[str]
) -> list[pathlib.Path]:
    candidates = (
        directory / (name + end) for name in names for end in _ENDINGS
    )
    return [path for path in candidates if path.is_file()]


class _Collection:
    """What was found so far; each file is read once."""

    def __init__(
        self, template: str | pathlib.Path, loader: file_loader.Loader
    ) -> None:
        self._loader = loader
        self._root = file_loader.place_of(template)
        self._base = file_loader.parent_of(self._root)
        self._files: dict[str, str] = {}
        self._places = {"": self._root}
        self._template = self._expanded(
            self._root,
            loader.text(self._root),
            documents.template_references,
        )

    def package(self, environment_files: tuple[str, ...]) -> Package:
        """Return all of it."""
        return Package(
            template=self._template,
            files=self._files,
            environment_files=environment_files,
            places=self._places,
        )

    def add_environment(self, path: str | pathlib.Path) -> str:
        """Add an environment with what it includes; return its name."""
        place = file_loader.place_of(path)
        name = file_loader.name_from(self._base, place)
        self._places[name] = place
        self._files[name] = self._expanded(
            place,
            self._loader.text(place),
            documents.environment_references,
        )
        return name

    def _expanded(self, place: str, text: str, find: documents.Finder) -> str:
        """Return a document whose names are those of the package.

        What it includes is added.
        """
        references = find(text, place)
        renamed = {}
        for reference in references:
            target = file_loader.join_place(
                reference.base or place, reference.name
            )
            file_loader.check_reach(place, target)
            self._add(target, is_template=reference.is_template)
            renamed[reference] = file_loader.name_from(self._base, target)
        return documents.rename_references(text, renamed)

    def _add(self, place: str, *, is_template: bool) -> None:
        name = file_loader.name_from(self._base, place)
        if name in self._files:
            return
        if len(self._files) >= _MAX_FILES:
            raise errors.PackagingError(
                self._root, f"It includes more than {_MAX_FILES} files."
            )
        text = self._loader.content(place)
        # Before what it includes is looked at: that may be itself.
        self._files[name] = text
        self._places[name] = place
        if is_template or documents.is_template(text):
            self._files[name] = self._expanded(
                place, text, documents.template_references
            )
