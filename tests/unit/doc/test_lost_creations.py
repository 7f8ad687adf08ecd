"""The page of types names all whose lost creations are not found."""

import pathlib
import re
import typing

from orch.resources.openstack import base as openstack_base
from orch.resources.openstack import type_data
from tests import base

_PAGE: typing.Final = (
    pathlib.Path(__file__).parents[3] / "doc/source/openstack_types.rst"
)
_LIST: typing.Final = re.compile(
    r"Some types have no place for a token\..*?\n\n(?P<items>.*?)\n\n",
    re.DOTALL,
)
_NAME: typing.Final = re.compile(r"``([\w:]+)``")


def _is_lost(kind: type[type_data.Kind]) -> bool:
    own, table = openstack_base.OpenStackResource, kind.table
    return (
        kind.find is own.find
        and kind.list_bearers is own.list_bearers
        and not table.token_key
        and not table.is_only
    )


class LostCreationTest(base.TestCase):
    def test_the_page_names_each_type(self) -> None:
        found = _LIST.search(_PAGE.read_text(encoding="utf-8"))
        assert found is not None
        named, prefix = set(), ""
        for name in _NAME.findall(found["items"]):
            if "::" in name:
                prefix = name.rpartition("::")[0]
            named.add(name if "::" in name else f"{prefix}::{name}")

        self.assertEqual(
            {
                name
                for name, each in type_data.load_types(lambda *_: None).items()
                if _is_lost(each.load())
            },
            named,
        )
