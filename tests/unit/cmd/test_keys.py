from orch.cmd import keys
from orch.cmd import process
from orch.conf import load
from orch.engine.adoption import sealing
from tests import base


class DocumentKeysTest(base.TestCase):
    def check(self, *private_keys: str) -> None:
        conf = load.load([], files=[])
        conf.set_override("private_keys", list(private_keys), "adoption")
        keys.check_documents(conf)

    def test_keys_are_taken_and_none_as_well(self) -> None:
        self.check()
        self.check(sealing.new_key(), sealing.new_key())

    def test_what_is_no_key_is_refused_and_not_told(self) -> None:
        good = sealing.new_key()
        for wrong in (good[:-1], f"{good}AAAA", "s3cret", "s3cret!", ""):
            error = self.assertRaises(process.Failure, self.check, good, wrong)
            self.assertIn("Key 2 in [adoption] private_keys", str(error))
            self.assertIn("orch-manage adoption-key new", str(error))
            self.assertNotIn("s3cret", str(error))
