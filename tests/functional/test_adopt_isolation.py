"""Nobody adopts, abandons, moves or describes what another project has."""

import typing

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template

_LINKED = "Test::World::Linked"
_MISSING = (404, "EntityNotFound")


def linked(**properties: object) -> Json:
    return {**declare_resource(**properties), "type": _LINKED}


class IsolationTests(adopting.AdoptingTestCase):
    """Another project of the same installation, ``other``, tries.

    :ivar theirs: its client
    :ivar stack: of the first project
    """

    def setUp(self) -> None:
        super().setUp()
        endpoint = self.here.endpoint.replace("/demo", "/other")
        self.assertNotEqual(endpoint, self.here.endpoint)
        self.theirs = rest.Client(endpoint, roles="member")
        self.addCleanup(self.theirs.close)
        self.stack = self.created(template(a=linked(label=self.name)))

    def other(self) -> rest.Stack:
        """Return a stack of the other project."""
        stack = self.theirs.create(
            f"{self.name}-other", template(own=declare_resource())
        )
        self.theirs.wait(stack, "CREATE_COMPLETE")
        return stack

    def try_(
        self, method: str, path: str, body: object = None
    ) -> tuple[int, str]:
        """Return what the other project is refused with."""
        return self.refused(self.ask, self.theirs, method, path, body)

    def unchanged(self) -> None:
        self.assertEqual(
            "CREATE_COMPLETE", self.here.show(self.stack)["stack_status"]
        )
        self.assertIn("a", self.existing_names())

    def test_a1_its_document_is_not_given_out(self) -> None:
        found = self.try_("GET", f"{self.stack.path}/export")

        self.assertEqual(_MISSING, found)

    def test_a7_it_is_not_abandoned(self) -> None:
        path = f"{self.stack.path}/abandon"

        self.assertEqual(_MISSING, self.try_("DELETE", path))
        self.assertEqual(_MISSING, self.try_("POST", path, {"prepare": None}))
        self.unchanged()

    def test_a_g3_what_it_prepared_is_not_committed(self) -> None:
        path = f"{self.stack.path}/abandon"
        told = self.ask(self.here, "POST", path, {"prepare": None})
        token = typing.cast(dict[str, str], told["abandonment"])["token"]

        self.assertEqual(_MISSING, self.try_("POST", path, {"commit": token}))
        self.unchanged()

    def test_a_g4_its_things_are_not_taken(self) -> None:
        ids = self.ids(self.here, self.stack)
        request = {
            "stack_name": f"{self.name}-2",
            "adopt_stack_data": {
                "template": template(mine=linked(label=self.name)),
                "resources": {"mine": ids["a"]},
            },
        }

        answer = self.ask(self.theirs, "POST", "/stacks", request)

        made = typing.cast(dict[str, str], answer["stack"])
        stack = rest.Stack(f"{self.name}-2", made["id"])
        shown = self.theirs.wait(stack, "ADOPT_FAILED")
        self.assertIn("belongs to another stack", str(shown))
        self.assertNotIn(self.stack.id, str(shown))
        self.assertNotIn("demo", str(shown))
        self.theirs.delete(stack)
        self.theirs.wait(stack, "DELETE_COMPLETE")
        self.unchanged()

    def test_a_g5_an_update_takes_none_of_its_things(self) -> None:
        ids = self.ids(self.here, self.stack)
        theirs = self.other()

        self.ask(
            self.theirs,
            "PUT",
            theirs.path,
            {
                "template": template(own=declare_resource(), mine=linked()),
                "external_ids": {"mine": ids["a"]},
            },
        )

        shown = self.theirs.wait(theirs, "UPDATE_FAILED")
        self.assertIn("belongs to another stack", str(shown))
        self.unchanged()

    def test_a_g6_its_things_are_not_described(self) -> None:
        ids = self.ids(self.here, self.stack)
        path = "/stacks/generate"
        named = {"type": _LINKED, "resource_id": ids["a"]}

        answer = self.ask(
            self.theirs,
            "POST",
            path,
            {"listings": [{"type": _LINKED, "tag": self.name}]},
        )

        self.assertEqual(
            (409, "HTTPConflict"),
            self.try_("POST", path, {"resources": [named]}),
        )
        wanted = typing.cast(dict[str, Json], answer["template"])
        self.assertEqual({}, wanted["resources"])
        self.assertNotIn(self.stack.id, str(answer))

    def test_a_g7_nothing_leaves_it(self) -> None:
        theirs = self.other()
        for end in ("", "/preview"):
            found = self.try_(
                "POST",
                f"{self.stack.path}/move{end}",
                {"target": theirs.name, "resources": ["a"]},
            )
            self.assertEqual(_MISSING, found)
        self.unchanged()

    def test_a_g7_nothing_comes_to_it(self) -> None:
        theirs = self.other()
        for target in (self.stack.name, self.stack.id):
            found = self.try_(
                "POST",
                f"{theirs.path}/move",
                {"target": target, "resources": ["own"]},
            )
            self.assertEqual(_MISSING, found)
        self.unchanged()
        self.assertEqual({"own"}, set(self.theirs.resources(theirs)))
