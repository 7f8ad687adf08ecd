"""What a deployment that fails leaves, as the library sees it."""

import requests

from orchclient import errors
from tests import base
from tests.unit.orchclient import answering

_CONFIG = {
    "software_config": {
        "id": "c",
        "name": "n",
        "creation_time": "2026-11-21T10:00:00Z",
    }
}
_REFUSED = answering.Answer({"error": {"message": "refused"}}, 400)
_LOST = requests.ConnectionError("lost")


class DeployTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.service.lay("POST /software_configs", answering.Answer(_CONFIG))
        self.orch = answering.connected(self.service)

    def deploy(
        self, deployed: answering.Laid, removed: answering.Laid
    ) -> errors.Error:
        """Return what is told of a deployment that fails."""
        self.service.lay("POST /software_deployments", deployed)
        self.service.lay("DELETE /software_configs/c", removed)
        found: errors.Error = self.assertRaises(
            errors.Error, self.orch.software_deployments.deploy, "n", "s"
        )
        self.assertIn("DELETE /software_configs/c", self.service.paths())
        return found

    def test_a_config_goes_with_an_answer_that_is_lost(self) -> None:
        told = self.deploy(_LOST, answering.Answer(status=204))
        self.assertIsInstance(told, errors.ConnectError)

    def test_what_cannot_be_removed_hides_no_error(self) -> None:
        told = self.deploy(_LOST, _REFUSED)
        self.assertIsInstance(told, errors.ConnectError)

    def test_nor_does_a_service_that_is_gone(self) -> None:
        told = self.deploy(_REFUSED, _LOST)
        self.assertIsInstance(told, errors.BadRequestError)
