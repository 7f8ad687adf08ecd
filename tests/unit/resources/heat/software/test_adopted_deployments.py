"""Deployments that come from elsewhere, and what was told of them."""

import dataclasses

from orch import errors
from orch.plugin import call_context
from orch.plugin import software
from tests.unit.resources import contexts
from tests.unit.resources.heat.software import test_deployments

_CONFIG = "9f0c3c52-6d0e-4c76-8a15-0d9f0f4f2c10"
Values = dict[str, object]


class AdoptionTests(test_deployments.DeploymentsTestCase):
    def adopt(self, **told: object) -> call_context.AdoptedResource:
        data: Values = {"config_id": _CONFIG, "action": "CREATE"}
        if told:
            data[software.OUTCOME] = told
        given = call_context.AdoptedResource(
            physical_id=contexts.TOKEN, data=data, metadata={}
        )
        taken = self.plugin.handle_adopt(self.context(), given)
        self.data = dict(taken.data)
        return taken

    def read(self, *names: str) -> Values:
        context = dataclasses.replace(
            self.context(), physical_id=contexts.TOKEN
        )
        return dict(self.plugin.read_attributes(context, names))

    def test_a10_what_was_told_is_known_and_kept_in_one_place(self) -> None:
        taken = self.adopt(
            status="FAILED",
            status_reason="broke",
            output_values={"deploy_stdout": "x"},
            signal_count=1,
        )

        self.assertEqual(
            ("FAILED", "broke", {"deploy_stdout": "x"}, _CONFIG),
            (
                self.deployed.status,
                self.deployed.status_reason,
                self.deployed.output_values,
                self.deployed.config_id,
            ),
        )
        self.assertNotIn(software.OUTCOME, taken.data)

    def test_a10_a_document_that_tells_nothing_has_a_good_end(self) -> None:
        for told in ({}, {"status": "ODD", "output_values": "wrong"}):
            self.adopt(**told)

            self.assertEqual(
                ("COMPLETE", "Adopted", None),
                (
                    self.deployed.status,
                    self.deployed.status_reason,
                    self.deployed.output_values,
                ),
            )

    def test_a10_a_signal_that_nobody_took_in_counts(self) -> None:
        self.store_config(outputs=[{"name": "o"}])
        self.signals = {
            software.COUNT: 1,
            "details": {"deploy_status_code": 0, "o": "late"},
        }

        self.adopt(status="IN_PROGRESS", status_reason="r", signal_count=0)

        self.assertEqual("COMPLETE", self.deployed.status)
        assert self.deployed.output_values is not None
        self.assertEqual("late", self.deployed.output_values["o"])

    def test_a10_a_signal_after_it_shows_in_the_attributes(self) -> None:
        self.adopt(status="IN_PROGRESS", status_reason="r", signal_count=0)
        self.assertEqual({}, self.read("deploy_stdout"))

        self.send_signal({"deploy_stdout": "late"})

        self.assertEqual({"deploy_stdout": "late"}, self.read("deploy_stdout"))

    def test_a_deployment_of_another_project_is_not_adopted(self) -> None:
        """Whether or not the document tells what was deployed."""
        self.adopt()
        theirs = dataclasses.replace(self.deployed, project_id="other")
        self.store.deployments[theirs.id] = theirs

        for data in ({"config_id": _CONFIG}, {}):
            given = call_context.AdoptedResource(
                physical_id=contexts.TOKEN, data=data, metadata={}
            )
            self.assertRaises(
                errors.Permanent,
                self.plugin.handle_adopt,
                self.context(),
                given,
            )
        self.assertEqual(theirs, self.deployed)

    def test_no_signal_ends_the_deployment_of_another_project(self) -> None:
        """A resource with ``external_id`` may name any deployment."""
        self.create()
        self.send_signal({"deploy_status_code": 0, "deploy_stdout": "forged"})
        theirs = dataclasses.replace(self.deployed, project_id="other")
        self.store.deployments[theirs.id] = theirs
        context = self.context(actions=["DELETE"])

        self.assertIsNone(self.plugin.is_created(context))

        self.assertEqual({}, self.read("deploy_stdout"))
        self.assertEqual(theirs, self.deployed)

    def test_its_address_is_given_only_where_a_server_has_it(self) -> None:
        for transport, is_given in (
            ("CFN_SIGNAL", True),
            ("NO_SIGNAL", False),
        ):
            context = dataclasses.replace(
                self.context(signal_transport=transport),
                physical_id=contexts.TOKEN,
            )
            found = self.plugin.given_address(context)
            self.assertEqual(is_given, found is not None)
        self.assertIsNone(self.plugin.given_address(self.context()))
