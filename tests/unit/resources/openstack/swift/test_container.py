"""Containers, where the store refuses or somebody was faster."""

import dataclasses

from orch import errors
from orch.clients import rest
from orch.plugin import reality
from orch.resources.openstack import type_data
from orch.resources.openstack.swift import container
from tests.unit.resources import contexts
from tests.unit.resources.openstack import clouds

NAME = "shop-thing-abcdefghijkl"


class ContainerTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Swift::Container")

    def setUp(self) -> None:
        super().setUp()
        self.use(clouds.Cloud())
        self.cloud.answers["PUT", f"/{NAME}"] = 201, None
        self.cloud.answers["DELETE", f"/{NAME}"] = 204, None

    def there(self, *objects: str, token: str = contexts.TOKEN) -> None:
        """Let the container be there."""
        self.cloud.headers = {"X-Container-Meta-Orch-Token": token}
        self.cloud.answers["HEAD", f"/{NAME}"] = 204, None
        self.cloud.answers["GET", f"/{NAME}"] = (
            200,
            [{"name": each} for each in objects],
        )

    def test_one_of_a_lost_attempt_is_written_again(self) -> None:
        self.there()

        self.assertEqual(NAME, self.plugin.create(self.context()))

    def test_one_of_a_lost_attempt_is_found(self) -> None:
        self.there()
        context = self.context()

        self.assertEqual(NAME, self.plugin.find(context))
        self.assertEqual([NAME], list(self.plugin.find_all(context)))
        # A lost request may take effect; until then it is looked for.
        self.assertTrue(self.plugin.has_late_effects)
        self.assertTrue(self.plugin.creates_once(context))

    def test_one_of_somebody_else_is_not_found(self) -> None:
        self.assertIsNone(self.plugin.find(self.context()))
        self.there(token="another")

        self.assertIsNone(self.plugin.find(self.context()))
        self.assertEqual([], list(self.plugin.find_all(self.context())))

    def test_one_that_is_found_gets_the_metadata_of_its_account(self) -> None:
        self.there()
        self.cloud.answers["POST", "/"] = 204, None
        context = self.context(**{"X-Account-Meta": {"a": "b"}})

        self.plugin.continue_creation(context)

        self.assertEqual(["POST /"], self.cloud.find_requests("POST", "PUT"))

    def test_one_of_somebody_else_is_not_written(self) -> None:
        self.there(token="another")

        self.assertRaises(
            rest.CloudRefused, self.plugin.create, self.context()
        )

        self.assertEqual([], self.cloud.find_requests("PUT", "POST", "DELETE"))

    def test_what_is_in_it_is_not_removed_unasked(self) -> None:
        self.there("one")
        context = dataclasses.replace(self.context(), physical_id=NAME)

        self.assertRaises(container.NotEmpty, self.plugin.delete, context)

        self.assertEqual([], self.cloud.find_requests("DELETE"))

    def test_an_object_that_leads_elsewhere_removes_nothing(self) -> None:
        self.there("..")
        context = dataclasses.replace(
            self.context(PurgeOnDelete=True), physical_id=NAME
        )

        self.assertRaises(rest.NoPath, self.plugin.delete, context)

        self.assertEqual([], self.cloud.find_requests("DELETE"))

    def test_one_that_is_gone_is_deleted_and_has_vanished(self) -> None:
        context = dataclasses.replace(self.context(), physical_id=NAME)

        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_a_store_that_is_busy_is_asked_again(self) -> None:
        self.there()
        context = dataclasses.replace(self.context(), physical_id=NAME)
        self.cloud.refuse("DELETE", f"/{NAME}", 409)

        self.plugin.delete(context)

        self.assertEqual(1, len(self.cloud.find_requests("DELETE")))

    def test_a_store_that_is_away_tells_nothing(self) -> None:
        self.cloud.answers["HEAD", f"/{NAME}"] = 503, None
        context = dataclasses.replace(self.context(), physical_id=NAME)

        self.assertRaises(errors.Transient, self.plugin.get_reality, context)
