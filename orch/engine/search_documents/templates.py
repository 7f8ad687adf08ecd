"""The text of a template as it can be searched."""

import collections.abc
import threading
import typing

import cachetools
import yaml

from orch.engine.secrets import redaction
from orch.engine.stack_inputs import template_cache

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
        redacts: redaction.Redaction,
    ) -> str:
        """Return the template without what is sensitive.

        It is redacted before it is a text: a long value is written over
        several lines.
        """
        if redacts.is_blind:
            return ""
        raw = found.template.raw
        shown = redacts.template(found.template)
        if shown != raw:
            text = _dump(shown)
        else:
            text = found.source or self._written(template_hash, raw)
        return redacts.text(text)

    def _written(
        self, template_hash: str, raw: collections.abc.Mapping[str, object]
    ) -> str:
        with self._lock:
            text = self._kept.get(template_hash)
        if text is not None:
            return text
        text = _dump(raw)
        with self._lock:
            self._kept[template_hash] = text
        return text


def _dump(raw: collections.abc.Mapping[str, object]) -> str:
    text: str = yaml.dump(
        dict(raw),
        Dumper=yaml.CSafeDumper,
        sort_keys=False,
        allow_unicode=True,
        width=200,
    )
    return text
