"""Makes documents of what Heat's REST API shows of stacks."""

import collections.abc
import dataclasses
import typing

import yaml

from orch import clock
from orch.model import flat_fields
from orch.model import presigned
from orch.search import document
from orch_search_heat import redaction
from orch_search_heat import thin

Found = redaction.Found

_MAX_TEXT_LENGTH: typing.Final = 100_000
_MAX_LENGTH: typing.Final = 4000
_NO_DESCRIPTION: typing.Final = "No description"
"""What Heat says of a stack without one."""
_FUNCTIONS: typing.Final = ("Ref", "get_param", "get_resource", "get_attr")
_FAMILIES: typing.Final = ("Fn::", "str_", "list_", "get_")


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a stack is in its tree.

    :ivar root: the outermost stack around it, or itself
    :ivar names: of the resources on the way down from there
    :ivar is_hidden: only administrators find it
    """

    root: Found
    names: tuple[str, ...]
    is_hidden: bool


def of_stack(
    shown: Found,
    written: Found,
    place: Place,
    rules: redaction.Rules,
    failures: collections.abc.Iterable[Found],
) -> document.Document:
    """Return the document of a stack.

    :param written: its template; empty where it is not known
    :param failures: events that say why something has failed
    """
    root = place.root
    action, status = thin.split_state(str(shown.get("stack_status", "")))
    fields = _fields_of_stack(shown, written, rules)
    if not rules.is_anywhere:
        fields.add_text("template", _text_of(written), _MAX_TEXT_LENGTH)
    texts = {**fields.texts, "events": _reasons(shown, failures, rules)}
    tags = [*(shown.get("tags") or ()), *(root.get("tags") or ())]
    return document.Document(
        id=f"stack/{shown['id']}",
        kind=document.STACK,
        stack_id=shown["id"],
        root_id=root["id"],
        project_id=_project(shown),
        path="/".join([str(root["stack_name"]), *place.names]),
        name=str(shown["stack_name"]),
        type=thin.STACK_TYPE,
        action=action,
        status=status,
        reason=_reason(shown, rules),
        description=_description(shown),
        created_at=_moment(shown, "creation_time"),
        updated_at=_moment(shown, "updated_time")
        or _moment(shown, "creation_time"),
        owner=str(shown.get("stack_owner") or ""),
        tags=tuple(dict.fromkeys(map(str, tags))),
        is_hidden=place.is_hidden,
        fields=_fixed(fields),
        texts={name: text for name, text in texts.items() if text},
    )


def of_resource(
    around: document.Document,
    written: Found,
    shown: Found,
    rules: redaction.Rules,
) -> document.Document:
    """Return the document of a resource.

    :param around: the document of its stack
    :param written: the template of its stack
    """
    name = str(shown["resource_name"])
    action, status = thin.split_state(str(shown.get("resource_status", "")))
    declared = redaction.declaration(written, name)
    fields = _fields()
    for key, value in _known(declared, around, rules):
        fields.add(f"properties.{key}", value)
    if not rules.has_secrets(name):
        fields.add("attributes", shown.get("attributes"))
    reason = str(shown.get("resource_status_reason") or "")
    if rules.redacts_resource_reason(
        name, reason, is_failed=status == "FAILED"
    ):
        reason = ""
    physical_id = str(shown.get("physical_resource_id") or "")
    if rules.redacts_id(name) or presigned.has_presigned(physical_id):
        physical_id = ""
    stack_id = around.stack_id
    return document.Document(
        id=f"resource/{stack_id}/{name}",
        kind=document.RESOURCE,
        stack_id=stack_id,
        root_id=around.root_id,
        project_id=around.project_id,
        path=f"{around.path}/{name}",
        name=name,
        type=str(shown.get("resource_type", "")),
        action=action,
        status=status,
        reason=_text(reason),
        description=_text(declared.get("description")),
        created_at=_moment(shown, "creation_time"),
        updated_at=_moment(shown, "updated_time"),
        physical_id=physical_id,
        owner=around.owner,
        tags=around.tags,
        is_hidden=around.is_hidden,
        fields=_fixed(fields),
        texts=fields.texts,
    )


def redacted(
    written: Found,
    shown: Found,
    rules: redaction.Rules,
    place: Place | None = None,
    rows: collections.abc.Iterable[Found] = (),
) -> frozenset[str]:
    """Return names of what may not be in the documents, for it is hidden.

    By the template: names that come and go with the ids of resources would
    make an index forget what the stack was.

    :param place: ``None`` of a stack that is gone
    :param rows: its resources, as they are shown
    """
    found = (
        {document.WHOLE_STACK}
        if place is not None and place.is_hidden
        else set()
    )
    if rules.is_anywhere:
        return document.UNKNOWN_REDACTION.union(found)
    rules = rules.by_template
    found.update(f"parameters.{name}" for name in rules.parameters)
    for each in shown.get("outputs") or ():
        if redaction.has_mask(each.get("output_value")):
            found.add(f"outputs.{each.get('output_key')}")
    for name, value in redaction.outputs(written).items():
        if rules.mentions(value):
            found.add(f"outputs.{name}")
    for name in redaction.resources(written):
        if rules.has_secrets(name):
            found.add(f"resources.{name}.attributes")
        given = redaction.properties(redaction.declaration(written, name))
        for key, value in _each(given):
            if rules.mentions(value):
                found.add(f"resources.{name}.properties.{key}")
    for each in rows:
        if redaction.has_mask(each.get("attributes")):
            found.add(f"resources.{each['resource_name']}.attributes")
    return frozenset(found)


def masked_parameters(shown: Found) -> frozenset[str]:
    """Return the parameters of a stack that the API does not show."""
    return frozenset(
        str(name)
        for name, value in (shown.get("parameters") or {}).items()
        if redaction.has_mask(value)
    )


def is_gone(shown: Found) -> bool:
    """Whether a stack that is still shown was deleted."""
    return shown.get("stack_status") == "DELETE_COMPLETE"


def _fields_of_stack(
    shown: Found, written: Found, rules: redaction.Rules
) -> flat_fields.FlatFields:
    fields = _fields()
    if rules.is_anywhere:
        return fields
    for name, value in (shown.get("parameters") or {}).items():
        if "::" not in name and name not in rules.parameters:
            fields.add(f"parameters.{name}", value)
    declared = redaction.outputs(written)
    for each in shown.get("outputs") or ():
        key = str(each.get("output_key"))
        # What made one that is not in the template is not known.
        if key in declared and not rules.mentions(declared[key]):
            fields.add(f"outputs.{key}", each.get("output_value"))
    return fields


def _reason(shown: Found, rules: redaction.Rules) -> str:
    found = str(shown.get("stack_status_reason") or "")
    is_failed = str(shown.get("stack_status", "")).endswith("_FAILED")
    is_redacted = rules.redacts_reason(found, is_failed=is_failed)
    return "" if is_redacted else _text(found)


def _reasons(
    shown: Found,
    failures: collections.abc.Iterable[Found],
    rules: redaction.Rules,
) -> str:
    """Return why something has failed, what is hidden left out."""
    said = []
    for each in failures:
        text = str(each.get("resource_status_reason") or "")
        name = str(each.get("resource_name") or "")
        if each.get("physical_resource_id") == shown["id"]:
            is_redacted = rules.redacts_reason(text, is_failed=True)
        else:
            is_redacted = rules.redacts_resource_reason(
                name, text, is_failed=True
            )
        if text and not is_redacted:
            said.append(text)
    return _text("\n".join(dict.fromkeys(said)))


def _known(
    declared: Found, around: document.Document, rules: redaction.Rules
) -> collections.abc.Iterator[tuple[str, object]]:
    """Return the properties whose values the template and parameters tell.

    The API does not show those that a function has made.
    """
    given = redaction.properties(declared)
    if not isinstance(given, dict):
        return
    for name, value in given.items():
        if rules.mentions(value):
            continue
        if isinstance(value, dict) and len(value) == 1:
            ((key, argument),) = value.items()
            if key in ("get_param", "Ref") and isinstance(argument, str):
                known = around.fields.get(f"parameters.{argument}", ())
                yield name, list(known)
                continue
        if not _has_function(value):
            yield name, value


def _each(given: object) -> collections.abc.Iterable[tuple[object, object]]:
    return given.items() if isinstance(given, dict) else (("", given),)


def _has_function(value: object) -> bool:
    if isinstance(value, dict):
        return any(
            key in _FUNCTIONS
            or str(key).startswith(_FAMILIES)
            or _has_function(each)
            for key, each in value.items()
        )
    return isinstance(value, list) and any(map(_has_function, value))


def _text_of(written: Found) -> str:
    """Return the template as text, defaults of hidden parameters masked."""
    text: str = yaml.dump(
        redaction.without_defaults(written),
        Dumper=yaml.CSafeDumper,
        sort_keys=False,
        allow_unicode=True,
        width=200,
    )
    return presigned.redact_presigned(text)


def _fields() -> flat_fields.FlatFields:
    return flat_fields.FlatFields(redaction.has_mask)


def _project(shown: Found) -> str:
    """Return whose a stack is: the list says it, else its own address."""
    if shown.get("project"):
        return str(shown["project"])
    for link in shown.get("links") or ():
        if link.get("rel") == "self":
            before, found, _ = str(link.get("href")).partition("/stacks/")
            return before.rpartition("/")[2] if found else ""
    return ""


def _description(shown: Found) -> str:
    """Return it; what stands for none would be a word of every stack."""
    said = shown.get("description")
    return "" if said == _NO_DESCRIPTION else _text(said)


def _text(value: object) -> str:
    return flat_fields.truncate_text(
        presigned.redact_presigned(str(value or "")), _MAX_LENGTH
    )


def _moment(shown: Found, name: str) -> clock.Timestamp | None:
    return thin.parse_time(shown.get(name))


def _fixed(fields: flat_fields.FlatFields) -> document.Fields:
    return {name: tuple(values) for name, values in fields.values.items()}
