"""The properties and attributes of ``Orch::Local::Process``."""

import typing

from orch.plugin import schema

_MODIFY = schema.OnUpdate.MODIFY

_HEALTH_FIELDS = (
    schema.Property(
        "port",
        schema.Type.INTEGER,
        "It serves once this TCP port of 127.0.0.1 takes connections.",
        on_update=_MODIFY,
        constraints=(schema.Range(minimum=1, maximum=65535),),
    ),
    schema.Property(
        "url",
        schema.Type.STRING,
        "It serves once this URL on this machine answers with a status of"
        " 200 to 299.",
        on_update=_MODIFY,
    ),
    schema.Property(
        "timeout_s",
        schema.Type.NUMBER,
        "Seconds from its start within which it has to serve.",
        default=30,
        on_update=_MODIFY,
        constraints=(schema.Range(minimum=0, maximum=86400),),
        unit="seconds",
    ),
)

PROPERTIES: typing.Final = (
    schema.Property(
        "command",
        schema.Type.LIST,
        "The program and its arguments, one an element; no shell reads them.",
        required=True,
        constraints=(schema.Length(minimum=1),),
        items=schema.Property("*", schema.Type.STRING),
    ),
    schema.Property(
        "environment",
        schema.Type.MAP,
        "Variables for it, in addition to PATH, HOME, USER, LANG, LC_ALL and"
        " TZ of the worker; it sees no others.",
        default={},
    ),
    schema.Property(
        "working_directory",
        schema.Type.STRING,
        "Where it starts, relative to the allowed root; the root itself"
        " when it is not given.",
        default="",
    ),
    schema.Property(
        "health_check",
        schema.Type.MAP,
        "How to find out that it serves; without it, it counts as up"
        " once it has lived for a moment.",
        on_update=_MODIFY,
        fields=_HEALTH_FIELDS,
    ),
    schema.Property(
        "stop_timeout_s",
        schema.Type.NUMBER,
        "Seconds it has to end by itself (SIGTERM) when it is stopped;"
        " after that it is killed.",
        default=10,
        on_update=_MODIFY,
        constraints=(schema.Range(minimum=0, maximum=3600),),
        unit="seconds",
    ),
)
ATTRIBUTES: typing.Final = (
    schema.Attribute("pid", schema.Type.INTEGER, "Its process id."),
    schema.Attribute(
        "log",
        schema.Type.STRING,
        "Absolute path of the file with all that it prints.",
    ),
)
