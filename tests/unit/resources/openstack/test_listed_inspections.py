"""What a list of a project says of resources that are adopted."""

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import observed_base
from tests.unit.resources.openstack import test_base


class ListedInspectionsTest(test_base.NetsTestCase):
    """A list confirms; whatever it leaves in doubt is read by itself."""

    def setUp(self) -> None:
        super().setUp()
        self.some = [self.made(token=f"t{n}", shared=True) for n in range(3)]
        self.cloud.requests.clear()

    def inspect_all(self) -> list[call_context.Inspection | None]:
        return list(self.plugin.inspect_all(self.some) or ())

    def check_doubted(self) -> None:
        """The first is not said to be anything, the others are."""
        found = self.inspect_all()

        self.assertIsNone(found[0])
        self.assertNotIn(None, found[1:])

    def test_a_list_says_what_a_read_of_each_does(self) -> None:
        found = self.inspect_all()

        self.assertEqual(["GET /networks"], self.cloud.find_requests("GET"))
        self.assertEqual(list(map(self.plugin.inspect, self.some)), found)

    def test_a_failed_one_is_listed_as_failed(self) -> None:
        self.network(self.some[0])["status"] = "ERROR"

        found = self.inspect_all()[0]

        assert found is not None
        self.assertIsInstance(found.fault, cloud_errors.InError)

    def test_one_that_is_not_listed_is_in_doubt(self) -> None:
        del self.nets[self.some[0].physical_id or ""]

        self.check_doubted()

    def test_one_of_another_project_is_in_doubt(self) -> None:
        self.network(self.some[0])["project_id"] = "another"

        self.check_doubted()

    def test_one_of_which_a_given_property_is_not_shown_is_in_doubt(
        self,
    ) -> None:
        del self.network(self.some[0])["shared"]

        self.check_doubted()

    def test_a_list_that_is_refused_says_nothing(self) -> None:
        self.cloud.refuse("GET", "/networks", 403)

        self.assertRaises(
            rest.CloudRefused, self.plugin.inspect_all, self.some
        )

    def test_a_long_list_is_not_read_to_its_end(self) -> None:
        self.patch(observed_base, "_MAX_LISTED", 1)
        self.cloud.page = 1
        self.nets.clear()
        for _ in range(9):
            self.cloud.add("/networks")
        self.cloud.requests.clear()

        self.assertEqual([None] * 3, self.inspect_all())

        self.assertEqual(
            ["GET /networks"] * 3, self.cloud.find_requests("GET")
        )

    def test_what_was_listed_is_not_looked_for_again(self) -> None:
        for is_listed in (False, True):
            given = call_context.AdoptedResource(
                physical_id="away",
                data={},
                metadata={},
                is_listed=is_listed,
            )
            if is_listed:
                taken = self.plugin.handle_adopt(self.some[0], given)
                self.assertEqual("away", taken.physical_id)
            else:
                self.assertRaises(
                    rest.CloudNotFound,
                    self.plugin.handle_adopt,
                    self.some[0],
                    given,
                )
