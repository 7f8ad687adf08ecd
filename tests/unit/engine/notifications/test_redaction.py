"""What a payload says beside properties."""

import typing

from orch.engine.notifications import redaction
from orch.engine.secrets import redaction as secret_redaction
from tests import base

_SECRET: typing.Final = "canary-5d1e9b"
_MADE: typing.Final = "0b5f6c1e-94c4-4f0e-9a53-6f1f0f5a7c11"
_PROOF: typing.Final = "https://host/a?signature=x"
_PLAIN: typing.Final[dict[str, object]] = {
    "description": "plain",
    "tags": None,
    "failed_resources": [],
}


def _named(physical_id: object) -> dict[str, object]:
    return {"resource_name": "a", "physical_resource_id": physical_id}


class RedactedPayloadsTest(base.TestCase):
    def redacted(self, **told: object) -> dict[str, object]:
        return redaction.redact_payload(
            {**_PLAIN, **told}, secret_redaction.Redaction([_SECRET])
        )

    def test_what_is_plain_stays(self) -> None:
        payload = {
            **_PLAIN,
            "tags": ["red"],
            "failed_resources": [{"name": "a", "physical_id": None}],
            "hook": _named(None),
            "drift": {"resources": [_named(_MADE)], "count": 1},
        }

        self.assertEqual(payload, self.redacted(**payload))

    def test_ids_wherever_they_stand(self) -> None:
        found = self.redacted(
            failed_resources=[{"name": "a", "physical_id": f"/{_SECRET}"}],
            hook=_named(f"/{_SECRET}"),
            drift={"resources": [_named(_SECRET), _named("b")], "count": 2},
        )

        self.assertEqual(
            {
                **_PLAIN,
                "failed_resources": [{"name": "a", "physical_id": "******"}],
                "hook": _named("******"),
                "drift": {
                    "resources": [_named("******"), _named("b")],
                    "count": 2,
                },
            },
            found,
        )

    def test_an_address_that_is_proof_by_itself(self) -> None:
        told = redaction.redact_payload(
            _named(_PROOF), secret_redaction.Redaction()
        )

        self.assertEqual(_named("******"), told)
        self.assertEqual(
            "see ******",
            self.redacted(description=f"see {_PROOF}")["description"],
        )

    def test_reasons_wherever_they_stand(self) -> None:
        found = self.redacted(
            state_reason=f"{_SECRET} is wrong",
            message=f"at {_PROOF}",
            failed_resources=[
                {"name": "a", "physical_id": None, "reason": f"no {_SECRET}"}
            ],
            approval={"text": f"see {_PROOF}", "answer_text": None},
        )

        self.assertEqual(
            ("****** is wrong", "at ******"),
            (found["state_reason"], found["message"]),
        )
        self.assertEqual(
            [{"name": "a", "physical_id": None, "reason": "no ******"}],
            found["failed_resources"],
        )
        self.assertEqual(
            {"text": "see ******", "answer_text": None}, found["approval"]
        )

    def test_properties_and_what_has_drifted_of_them(self) -> None:
        covers = secret_redaction.Redaction([_SECRET])
        values = {
            "plain": ["x", 5, None],
            "said": {"deep": f"is {_SECRET}", _SECRET: 1},
            "address": f"curl '{_PROOF}'",
            "admin_pass": "pet name",
            "meta": [{"api_key": 77, "token": None}],
        }
        expected = {
            "plain": ["x", 5, None],
            "said": {"deep": "******", "******": 1},
            "address": "curl '******'",
            "admin_pass": "******",
            "meta": [{"api_key": "******", "token": None}],
        }

        told = redaction.redact_payload(
            {**_named(None), "properties": values}, covers
        )
        drifted = redaction.redact_payload(
            {
                **_PLAIN,
                "drift": {
                    "resources": [
                        {
                            **_named(None),
                            "differences": [
                                {"property": name, "expected": each, "live": 5}
                                for name, each in values.items()
                            ],
                        }
                    ]
                },
            },
            covers,
        )

        self.assertEqual(expected, told["properties"])
        drift = typing.cast(dict[str, typing.Any], drifted["drift"])
        self.assertEqual(
            [
                {
                    "property": name,
                    "expected": each,
                    "live": "******" if name == "admin_pass" else 5,
                }
                for name, each in expected.items()
            ],
            drift["resources"][0]["differences"],
        )

    def test_properties_where_nobody_knows(self) -> None:
        blind = secret_redaction.BLIND

        told = redaction.redact_payload(
            {**_named(None), "properties": {"a": 1, "b": None}}, blind
        )

        self.assertEqual({"a": "******", "b": None}, told["properties"])

    def test_all_may_be_hidden_where_nobody_knows(self) -> None:
        blind = secret_redaction.BLIND
        told = {**_PLAIN, "tags": ["red"], "hook": _named("x")}

        self.assertEqual(
            {
                **_PLAIN,
                "description": "******",
                "tags": ["******"],
                "hook": _named("******"),
            },
            redaction.redact_payload(told, blind),
        )
        self.assertEqual(
            _named("******"), redaction.redact_payload(_named(_MADE), blind)
        )
