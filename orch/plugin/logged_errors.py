"""Errors of plug-ins for the log, without what is sensitive in a resource.

A plug-in may raise anything, and quote any value that it was given. Reasons
that are stored are redacted by the secrets of the whole tree; a line of the
log by those of the resource that was acted on.
"""

import collections.abc
import itertools

from orch import errors
from orch import redacted
from orch.model import marked
from orch.plugin import call_context


def redact_error(
    error: BaseException,
    contexts: collections.abc.Iterable[call_context.Context],
    *values: object,
) -> str:
    """Return the kind and the text of an error, redacted.

    :param contexts: of the resources that the call was about
    :param values: sensitive as a whole
    """
    texts = itertools.chain(
        *map(_texts_of, contexts), *map(redacted.find_texts, values)
    )
    text = f"{errors.kind_of(error)}: {error}"
    return redacted.Redactor(texts).redact(text)


def redact_raised(error: Exception, *values: object) -> Exception:
    """Return what to raise in place of an error of a plug-in.

    :param values: sensitive as a whole
    """
    text = redact_error(error, (), *values)
    return redacted.RedactedError(text).with_traceback(error.__traceback__)


def find_secrets(
    values: collections.abc.Mapping[str, object],
) -> frozenset[str]:
    """Return the texts of what is sensitive in properties, or the like."""
    paths = marked.find_sensitive(values)
    return marked.texts(values, paths)


def _texts_of(
    context: call_context.Context,
) -> collections.abc.Iterator[str]:
    """Yield the texts of what is sensitive in a resource."""
    for each in (
        context.properties,
        context.attributes,
        context.metadata,
        context.successor or {},
    ):
        yield from find_secrets(each)
    for each in (context.data, context.signals):
        yield from redacted.find_texts(each)
