"""``OS::Heat::MultipartMime``: several texts as one, for cloud-init."""

import collections.abc
import email
import pathlib
import typing
import uuid
from email import message
from email.mime import multipart
from email.mime import text

from orch.plugin import call_context
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import stored_config

_Part = collections.abc.Mapping[str, object]
_MULTIPART: typing.Final = "multipart"


@type_files.described("OS::Heat::MultipartMime")
class MultipartMime(stored_config.StoredConfig):
    """A MIME message of several parts, each a text or another config."""

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return the message, the same for every attempt."""
        whole = multipart.MIMEMultipart(
            boundary=f"==============={context.token}=="
        )
        parts = context.properties.get("parts") or ()
        for part in typing.cast("collections.abc.Iterable[_Part]", parts):
            body = self._body(context, str(part["config"]))
            if part.get("type") == _MULTIPART:
                _take_over(whole, body)
            else:
                _attach(
                    whole,
                    body,
                    str(part.get("subtype") or ""),
                    str(part.get("filename") or ""),
                )
        return software.Definition(
            name=context.physical_name,
            group=str(context.properties.get("group")),
            config=whole.as_string(),
        )

    def _body(self, context: call_context.Context, given: str) -> str:
        """Return the text of a part: of the config, or the given itself."""
        if not _is_id(given):
            return given
        found = self.store.find_config(context.stack_project, given)
        return given if found is None else str(found.config or "")


def _take_over(whole: multipart.MIMEMultipart, body: str) -> None:
    inner: message.Message = email.message_from_string(body)
    if not inner.is_multipart():
        return
    for part in typing.cast("list[message.Message]", inner.get_payload()):
        raw = part.get_payload(decode=True)
        said = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
        subtype, name = part.get_content_subtype(), part.get_filename()
        _attach(whole, said, subtype, name or "")


def _attach(
    whole: multipart.MIMEMultipart, body: str, subtype: str, filename: str
) -> None:
    """Add a part; without a subtype its name may tell one."""
    kind = subtype or pathlib.PurePath(filename).stem or "plain"
    charset = "us-ascii" if body.isascii() else "utf-8"
    part = text.MIMEText(body, _subtype=kind, _charset=charset)
    if filename:
        part.add_header("Content-Disposition", "attachment", filename=filename)
    whole.attach(part)


def _is_id(given: str) -> bool:
    try:
        return str(uuid.UUID(given)) == given
    except ValueError:
        return False
