"""The versions of the template language, and what each of them has.

A version names its functions as templates write them; each name stands for
an entry point of the group ``orch.template_functions``. Where a function
changed from one version to the next, its forms are entry points of their
own, ``<function>.<form>``.
"""

import collections.abc
import dataclasses

from orch.template import errors
from orch.template import problems
from orch.template.language import formats

Names = collections.abc.Mapping[str, str]


@dataclasses.dataclass(frozen=True, eq=False)
class Version:
    """One version of the language.

    :ivar name: as the template writes it
    :ivar functions: entry point of each function, by name
    :ivar conditions: the same for those that only conditions know
    :ivar in_conditions: names that conditions may use
    :ivar removed: names that older versions had and this one refuses
    """

    format: formats.Format
    name: str
    functions: Names
    aliases: tuple[str, ...] = ()
    conditions: Names = dataclasses.field(default_factory=dict)
    in_conditions: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    @property
    def full_name(self) -> str:
        """Return the name that clients list it by."""
        return f"{self.format.version_key}.{self.name}"


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_CFN_BASE = _same(
    "Fn::Base64",
    "Fn::FindInMap",
    "Fn::GetAZs",
    "Fn::GetAtt",
    "Fn::Join",
    "Fn::MemberListToMap",
    "Fn::Replace",
    "Fn::ResourceFacade",
    "Fn::Select",
    "Fn::Split",
    "Ref",
)
_CFN_CONDITIONS = {
    "Fn::And": "and",
    "Fn::Equals": "equals",
    "Fn::Not": "not.list",
    "Fn::Or": "or",
}

_2013 = _same(
    "Fn::Base64",
    "Fn::GetAZs",
    "Fn::Join",
    "Fn::MemberListToMap",
    "Fn::Replace",
    "Fn::ResourceFacade",
    "Fn::Select",
    "Fn::Split",
    "Ref",
    "get_attr",
    "get_file",
    "get_param",
    "get_resource",
    "resource_facade",
    "str_replace",
) | {"list_join": "Fn::Join"}
_REMOVED_2014 = frozenset(
    name for name in _2013 if name.startswith("Fn::") or name == "Ref"
) - {"Fn::Select"}
_2014 = {
    name: entry for name, entry in _2013.items() if name not in _REMOVED_2014
}
_2015_04 = _2014 | _same("digest", "repeat")
_REMOVED_2015 = _REMOVED_2014 | {"Fn::Select"}
_2015_10 = {
    name: entry for name, entry in _2015_04.items() if name != "Fn::Select"
} | {
    "get_attr": "get_attr.whole",
    "list_join": "list_join",
    "str_replace": "str_replace.json",
    "str_split": "str_split",
}
_2016_04 = _2015_10 | _same("map_merge")
_2016_10 = (
    _2016_04
    | _same("map_replace", "yaql")
    | {"if": "if.three", "repeat": "repeat.maps"}
)
_2017_02 = _2016_10 | _same("filter", "str_replace_strict")
_2017_09 = (
    _2017_02
    | _same(
        "contains",
        "list_concat",
        "list_concat_unique",
        "make_url",
        "str_replace_vstrict",
    )
    | {"repeat": "repeat.permutations"}
)
_2021 = _2017_09 | {"if": "if"}
_CONDITIONS = _same("and", "equals", "not", "or")
_IN_CONDITIONS_2016 = frozenset({"and", "equals", "get_param", "not", "or"})
_IN_CONDITIONS_2017 = _IN_CONDITIONS_2016 | {"contains", "yaql"}


def _hot_early(
    name: str, functions: Names, removed: frozenset[str]
) -> Version:
    return Version(formats.HOT_2013, name, functions, removed=removed)


def _hot(
    name: str,
    functions: Names,
    alias: str,
    in_conditions: frozenset[str] = _IN_CONDITIONS_2017,
    format_: formats.Format = formats.HOT_2018,
) -> Version:
    return Version(
        format_,
        name,
        functions,
        (alias,),
        _CONDITIONS,
        in_conditions,
        _REMOVED_2015,
    )


VERSIONS: tuple[Version, ...] = (
    Version(
        formats.AWS,
        "2010-09-09",
        _CFN_BASE | {"Fn::If": "if.three"},
        conditions=_CFN_CONDITIONS,
        in_conditions=frozenset(_CFN_CONDITIONS) | {"Fn::FindInMap", "Ref"},
    ),
    Version(formats.CFN, "2012-12-12", _CFN_BASE),
    _hot_early("2013-05-23", _2013, frozenset()),
    _hot_early("2014-10-16", _2014, _REMOVED_2014),
    _hot_early("2015-04-30", _2015_04, _REMOVED_2014),
    _hot_early("2015-10-15", _2015_10, _REMOVED_2015),
    _hot_early("2016-04-08", _2016_04, _REMOVED_2015),
    _hot(
        "2016-10-14",
        _2016_10,
        "newton",
        _IN_CONDITIONS_2016,
        formats.HOT_2016,
    ),
    _hot(
        "2017-02-24",
        _2017_02,
        "ocata",
        _IN_CONDITIONS_2016,
        formats.HOT_2017,
    ),
    _hot("2017-09-01", _2017_09, "pike", format_=formats.HOT_2017),
    _hot("2018-03-02", _2017_09, "queens"),
    _hot("2018-08-31", _2017_09, "rocky"),
    _hot("2021-04-16", _2021, "wallaby"),
)


KEYS: tuple[str, ...] = tuple(
    dict.fromkeys(version.format.version_key for version in VERSIONS)
)
"""The keys that say which version a document is in."""

LATEST = f"{VERSIONS[-1].format.version_key}: {VERSIONS[-1].name}"


def has_version(root: collections.abc.Mapping[str, object]) -> bool:
    """Answer whether a document says which version it is in."""
    return any(key in root for key in KEYS)


def version_keys(
    root: collections.abc.Mapping[str, object],
) -> tuple[str, ...]:
    """Return the keys of a document that say which version it is in."""
    return tuple(key for key in KEYS if key in root)


def get_version(root: collections.abc.Mapping[str, object]) -> Version:
    """Return the version that a template is written in.

    :raises orch.template.errors.VersionInvalid: none, two or an unknown one
    """
    found = version_keys(root)
    if len(found) > 1:
        raise errors.VersionInvalid(
            "The template version is invalid: Ambiguous versions"
            f" ({', '.join(found)})",
            advice="Keep the one whose format the template is in.",
        )
    written = root[found[0]] if found else None
    if written is None or isinstance(written, list | dict):
        raise errors.VersionInvalid(
            "The template version is invalid: Template version was not"
            " provided"
        )
    known = {
        name: version
        for version in VERSIONS
        if version.format.version_key == found[0]
        for name in (version.name, *version.aliases)
    }
    version = known.get(written) if isinstance(written, str) else None
    if version is None:
        raise errors.VersionInvalid(
            f'The template version is invalid: "{found[0]}: {written}".'
            f' "{found[0]}" should be one of: {", ".join(sorted(known))}',
            advice=problems.suggest_name(str(written), known),
        )
    return version


def get_named_version(name: str) -> Version | None:
    """Return the version that clients list by that name or an alias."""
    for version in VERSIONS:
        key = version.format.version_key
        if name in {f"{key}.{one}" for one in version.aliases} | {
            version.full_name
        }:
            return version
    return None


def list_versions() -> list[dict[str, object]]:
    """Return the answer of ``GET /template_versions``."""
    return [
        {
            "version": version.full_name,
            "type": version.format.kind,
            "aliases": [
                f"{version.format.version_key}.{alias}"
                for alias in version.aliases
            ],
        }
        for version in VERSIONS
    ]
