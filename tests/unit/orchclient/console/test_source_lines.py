"""The line that declares a resource."""

from orchclient import packaging
from orchclient.console import source_lines
from tests import base

_OUTER = """\
resources:
  plain: {type: inner.yaml}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: inner.yaml
"""
_INNER = """\
# A comment
resources:
  leaf:
    type: OS::Heat::Value
"""


class LocatingTests(base.TestCase):
    def find(self, *path: str) -> tuple[str, int] | None:
        package = packaging.Package(
            template=_OUTER,
            files={"inner.yaml": _INNER},
            places={"": "/d/outer.yaml", "inner.yaml": "/d/inner.yaml"},
        )
        return source_lines.find_declaration(package, path)

    def test_of_the_template(self) -> None:
        self.assertEqual(("/d/outer.yaml", 3), self.find("group"))

    def test_of_a_stack_in_the_stack(self) -> None:
        self.assertEqual(("/d/inner.yaml", 3), self.find("plain", "leaf"))

    def test_of_a_member_of_a_group(self) -> None:
        found = self.find("group", "0", "leaf")
        self.assertEqual(("/d/inner.yaml", 3), found)
        self.assertEqual(("/d/outer.yaml", 3), self.find("group", "0"))

    def test_the_nearest_that_is_known(self) -> None:
        self.assertEqual(("/d/outer.yaml", 2), self.find("plain", "none"))
        self.assertIsNone(self.find("none"))
        self.assertIsNone(self.find())

    def test_documents_that_have_no_lines(self) -> None:
        for template in ({"resources": {"a": {}}}, "- no\n: yaml [", "5"):
            package = packaging.Package(template=template)
            self.assertIsNone(source_lines.find_declaration(package, ("a",)))
