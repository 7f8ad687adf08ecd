"""The user data that cloud-init reads at a server's first boot.

``RAW`` is passed on as it is. With the other formats it stands in a MIME
message, beside a script that writes the metadata of the resource to where
cfn-init and the agent os-collect-config look for them.
"""

import base64
import collections.abc
import email
import json
import typing
from email.mime import multipart
from email.mime import text

Values = collections.abc.Mapping[str, object]

RAW: typing.Final = "RAW"
SOFTWARE_CONFIG: typing.Final = "SOFTWARE_CONFIG"

_PLACES: typing.Final = (
    "/var/lib/cloud/data/cfn-init-data",
    "/var/lib/heat-cfntools/cfn-init-data",
)
_STARTS: typing.Final = {
    "#cloud-config": "cloud-config",
    "#cloud-boothook": "cloud-boothook",
    "#include": "x-include-url",
    "#!": "x-shellscript",
    "## template: jinja": "jinja2",
}
_SCRIPT: typing.Final = """#cloud-boothook
#!/bin/sh
umask 077
for place in {places}; do
  mkdir -p "$(dirname "$place")"
  echo {data} | base64 -d > "$place"
done
"""


def encode_user_data(content: str) -> str:
    """Return user data as requests have them."""
    return base64.b64encode(content.encode()).decode("ascii")


def build_message(given: str, metadata: Values, boundary: str) -> str:
    """Return user data and metadata as one MIME message.

    :param given: a text, or a MIME message whose parts are taken over
    :param metadata: what cfn-init and the agent read
    :param boundary: stands in no part; the same gives the same message
    """
    whole = multipart.MIMEMultipart(boundary=f"==============={boundary}==")
    for body, subtype, name in _parts(given):
        whole.attach(_part(body, subtype, name))
    data = base64.b64encode(json.dumps(dict(metadata)).encode()).decode()
    script = _SCRIPT.format(places=" ".join(_PLACES), data=data)
    whole.attach(_part(script, "cloud-boothook", "cfn-init-data"))
    return whole.as_string()


def _parts(given: str) -> collections.abc.Iterator[tuple[str, str, str]]:
    """Yield the content, the subtype and the name of each part."""
    if not given:
        return
    found = email.message_from_string(given)
    if not found.is_multipart():
        yield given, _subtype(given), "user-data"
        return
    for part in found.walk():
        raw = part.get_payload(decode=True)
        if isinstance(raw, bytes):
            yield (
                raw.decode("utf-8", "replace"),
                part.get_content_subtype(),
                part.get_filename() or "",
            )


def _subtype(content: str) -> str:
    for start, subtype in _STARTS.items():
        if content.startswith(start):
            return subtype
    return "x-shellscript" if not content.startswith("#") else "plain"


def _part(body: str, subtype: str, name: str) -> text.MIMEText:
    charset = "us-ascii" if body.isascii() else "utf-8"
    created = text.MIMEText(body, _subtype=subtype, _charset=charset)
    if name:
        created.add_header("Content-Disposition", "attachment", filename=name)
    return created
