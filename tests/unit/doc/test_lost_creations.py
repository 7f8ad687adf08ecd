"""The page of types names all whose lost creations may not be found."""

import collections.abc
import pathlib
import re
import typing

from orch.resources.openstack import base as openstack_base
from orch.resources.openstack import type_data
from tests import base

_PAGE: typing.Final = (
    pathlib.Path(__file__).parents[3] / "doc/source/openstack_types.rst"
)
_NAME: typing.Final = re.compile(r"``([\w:]+)``")


def _finds_by_table(kind: type[openstack_base.OpenStackResource]) -> bool:
    own = openstack_base.OpenStackResource
    return kind.find is own.find and kind.list_bearers is own.list_bearers


def _is_lost(kind: type[openstack_base.OpenStackResource]) -> bool:
    return not kind.table.token_key and not kind.table.is_only


def _is_named(kind: type[openstack_base.OpenStackResource]) -> bool:
    return kind.table.token_key == "name" and not kind.table.is_name_unique


def _is_unique(kind: type[openstack_base.OpenStackResource]) -> bool:
    return kind.table.token_key == "name" and kind.table.is_name_unique


class LostCreationTest(base.TestCase):
    def check_names(
        self,
        beginning: str,
        is_of_list: collections.abc.Callable[
            [type[openstack_base.OpenStackResource]], bool
        ],
        end: str = "\n\n",
    ) -> None:
        """Compare the types of a list of the page with those that it means."""
        page = _PAGE.read_text(encoding="utf-8")
        items = page.partition(beginning)[2].partition(end)[0]
        named, prefix = set(), ""
        for name in _NAME.findall(items):
            if "::" in name:
                prefix = name.rpartition("::")[0]
            named.add(name if "::" in name else f"{prefix}::{name}")
        served = type_data.load_types(lambda *_: None)
        kinds = {name: each.load() for name, each in served.items()}

        self.assertEqual(
            {
                name
                for name, kind in kinds.items()
                if _finds_by_table(kind) and is_of_list(kind)
            },
            named,
        )

    def test_the_page_names_each_type_without_a_token(self) -> None:
        self.check_names(
            "Some types have no place for a token. If the answer to the"
            " creation of one of\nthem is lost, an operator has to decide:"
            "\n\n",
            _is_lost,
        )

    def test_the_page_names_each_type_with_its_name_as_the_token(self) -> None:
        self.check_names(
            "The name is the token of these types, unless the template gives"
            " one. If it\ndoes, and the answer to the creation is lost, an"
            " operator has to decide:\n\n",
            _is_named,
        )

    def test_the_page_names_each_type_with_a_unique_name(self) -> None:
        self.check_names(
            "Only one resource can have the name of an", _is_unique, "these"
        )
