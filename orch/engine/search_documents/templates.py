"""The text of a template as it can be searched."""

import collections.abc
import threading
import typing

import cachetools
import yaml

from orch.engine.secrets import masks
from orch.engine.stack_inputs import template_cache
from orch.template import template

LONGEST: typing.Final = 100_000
"""Characters of a template that are kept."""
_MOST: typing.Final = 64


class Texts:
    """Texts of templates; those that were written last are kept.

    Many stacks have the same template, and writing one takes longer than all
    else of a document.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: cachetools.LRUCache[str, str] = cachetools.LRUCache(_MOST)
        self._lock = threading.Lock()

    def of(
        self,
        template_hash: str,
        found: template_cache.Readable,
        covers: masks.Masks,
    ) -> str:
        """Return the template without what is hidden."""
        if covers.is_blind:
            return ""
        if found.source and not _has_hidden_default(found.template):
            text = found.source
        else:
            text = self._dumped(template_hash, found.template, covers)
        return covers.covered(text) if covers.has_texts else text

    def _dumped(
        self,
        template_hash: str,
        parsed_template: template.Template,
        covers: masks.Masks,
    ) -> str:
        """Return the template as text, redacted before it is one.

        A long value is written over several lines.
        """
        raw = parsed_template.raw
        if covers.has_texts:
            shown = covers.shown(raw, is_hidden=False)
            assert isinstance(shown, dict)
            if shown != raw:
                return _dump(parsed_template, shown)
        return self._written(template_hash, parsed_template)

    def _written(
        self, template_hash: str, parsed_template: template.Template
    ) -> str:
        with self._lock:
            text = self._kept.get(template_hash)
        if text is not None:
            return text
        text = _dump(parsed_template, parsed_template.raw)
        with self._lock:
            self._kept[template_hash] = text
        return text


def _parameters(parsed_template: template.Template) -> dict[str, object]:
    section = parsed_template.raw.get(
        parsed_template.version.format.parameters
    )
    return section if isinstance(section, dict) else {}


def _hidden_defaults(parsed_template: template.Template) -> list[str]:
    """Return the hidden parameters that the template has a value for."""
    default = parsed_template.version.format.parameter.default
    return [
        name
        for name, written in _parameters(parsed_template).items()
        if isinstance(written, dict)
        and default in written
        and name in parsed_template.parameters.schemas
        and parsed_template.parameters.schemas[name].is_hidden
    ]


def _has_hidden_default(parsed_template: template.Template) -> bool:
    return bool(_hidden_defaults(parsed_template))


def _dump(
    parsed_template: template.Template,
    raw: collections.abc.Mapping[str, object],
) -> str:
    """Return a template as text, the defaults of hidden parameters redacted.

    :param raw: the template to write
    """
    default = parsed_template.version.format.parameter.default
    hidden = _hidden_defaults(parsed_template)
    if hidden:
        key = parsed_template.version.format.parameters
        section = dict(typing.cast("dict[str, object]", raw[key]))
        for name in hidden:
            written = typing.cast("dict[str, object]", section[name])
            section[name] = {**written, default: masks.HIDDEN}
        raw = {**raw, key: section}
    text: str = yaml.dump(
        dict(raw),
        Dumper=yaml.CSafeDumper,
        sort_keys=False,
        allow_unicode=True,
        width=200,
    )
    return text
