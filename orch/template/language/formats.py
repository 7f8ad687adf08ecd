"""The two formats of templates, HOT and CloudFormation's, as tables.

What differs between them, and from one version to the next, is how sections
and keys are called and which there are. The rest of the package reads a
template through these tables and knows no format.
"""

import dataclasses

_UNUSED_SECTION = "__undefined__"
"""A section that every version of HOT takes and none reads."""


@dataclasses.dataclass(frozen=True)
class ResourceKeys:
    """How a resource calls its parts; ``None`` for a part it cannot have."""

    type: str
    properties: str
    metadata: str
    depends_on: str
    deletion_policy: str
    update_policy: str
    description: str
    condition: str | None = None
    external_id: str | None = None


@dataclasses.dataclass(frozen=True)
class OutputKeys:
    """How an output calls its parts."""

    value: str
    description: str
    condition: str | None = None


@dataclasses.dataclass(frozen=True)
class ParameterKeys:
    """How a parameter calls its parts, and the names of its types.

    :ivar types: the name of a type in templates, to the name in
        :mod:`orch.template.parameters.types`
    :ivar constraints: key of the list of constraints; ``None`` where each
        constraint is a key of the parameter itself
    :ivar is_hidden_by_word: only the word ``true`` hides a parameter;
        otherwise anything does that is not empty, zero or false
    """

    type: str
    default: str
    description: str
    hidden: str
    label: str
    types: tuple[tuple[str, str], ...]
    constraints: str | None = None
    immutable: str | None = None
    tags: str | None = None
    others: frozenset[str] = frozenset()
    is_hidden_by_word: bool = False


@dataclasses.dataclass(frozen=True)
class Format:
    """The sections of a template and the keys in them.

    :ivar kind: ``hot`` or ``cfn``
    :ivar is_strict: unknown keys of a resource are refused
    :ivar has_modulo: parameters may have the constraint ``modulo``
    :ivar policies: deletion policies by the way they may be written
    """

    kind: str
    version_key: str
    description: str
    parameters: str
    resources: str
    outputs: str
    resource: ResourceKeys
    output: OutputKeys
    parameter: ParameterKeys
    policies: tuple[tuple[str, str], ...]
    conditions: str | None = None
    parameter_groups: str | None = None
    mappings: str | None = None
    other_sections: frozenset[str] = frozenset()
    is_strict: bool = False
    has_modulo: bool = False

    @property
    def sections(self) -> frozenset[str]:
        """Return the names of all sections."""
        named = (
            self.version_key,
            self.description,
            self.parameters,
            self.resources,
            self.outputs,
            self.conditions,
            self.parameter_groups,
            self.mappings,
        )
        return self.other_sections | {name for name in named if name}


_POLICIES = tuple((name, name) for name in ("Delete", "Retain", "Snapshot"))
_ANY_CASE = _POLICIES + tuple((name.lower(), name) for name, _ in _POLICIES)

_CFN_PARAMETER = ParameterKeys(
    type="Type",
    default="Default",
    description="Description",
    hidden="NoEcho",
    label="Label",
    types=(
        ("String", "string"),
        ("Number", "number"),
        ("CommaDelimitedList", "comma_delimited_list"),
        ("Json", "json"),
        ("Boolean", "boolean"),
    ),
    others=frozenset(
        {
            "AllowedValues",
            "AllowedPattern",
            "MaxLength",
            "MinLength",
            "MaxValue",
            "MinValue",
            "ConstraintDescription",
        }
    ),
    is_hidden_by_word=True,
)
_CFN_RESOURCE = ResourceKeys(
    type="Type",
    properties="Properties",
    metadata="Metadata",
    depends_on="DependsOn",
    deletion_policy="DeletionPolicy",
    update_policy="UpdatePolicy",
    description="Description",
)

CFN = Format(
    kind="cfn",
    version_key="HeatTemplateFormatVersion",
    description="Description",
    parameters="Parameters",
    resources="Resources",
    outputs="Outputs",
    mappings="Mappings",
    resource=_CFN_RESOURCE,
    output=OutputKeys("Value", "Description"),
    parameter=_CFN_PARAMETER,
    policies=_POLICIES,
)
AWS = dataclasses.replace(
    CFN,
    version_key="AWSTemplateFormatVersion",
    conditions="Conditions",
    resource=dataclasses.replace(_CFN_RESOURCE, condition="Condition"),
    output=OutputKeys("Value", "Description", "Condition"),
)

_HOT_PARAMETER = ParameterKeys(
    type="type",
    default="default",
    description="description",
    hidden="hidden",
    label="label",
    constraints="constraints",
    immutable="immutable",
    types=tuple(
        (name, name)
        for name in (
            "string",
            "number",
            "comma_delimited_list",
            "json",
            "boolean",
        )
    ),
    others=frozenset({"schema"}),
)
_HOT_RESOURCE = ResourceKeys(
    type="type",
    properties="properties",
    metadata="metadata",
    depends_on="depends_on",
    deletion_policy="deletion_policy",
    update_policy="update_policy",
    description="description",
)

HOT_2013 = Format(
    kind="hot",
    version_key="heat_template_version",
    description="description",
    parameters="parameters",
    resources="resources",
    outputs="outputs",
    parameter_groups="parameter_groups",
    resource=_HOT_RESOURCE,
    output=OutputKeys("value", "description"),
    parameter=_HOT_PARAMETER,
    policies=_POLICIES,
    other_sections=frozenset({_UNUSED_SECTION}),
    is_strict=True,
)
HOT_2016 = dataclasses.replace(
    HOT_2013,
    conditions="conditions",
    resource=dataclasses.replace(
        _HOT_RESOURCE, condition="condition", external_id="external_id"
    ),
    output=OutputKeys("value", "description", "condition"),
    policies=_ANY_CASE,
)
HOT_2017 = dataclasses.replace(HOT_2016, has_modulo=True)
HOT_2018 = dataclasses.replace(
    HOT_2017, parameter=dataclasses.replace(_HOT_PARAMETER, tags="tags")
)
