from orch import token_buckets
from tests import base
from tests.unit.engine import fakes


class TokenBucketsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = fakes.Clock()
        self.buckets: token_buckets.TokenBuckets[str] = (
            token_buckets.TokenBuckets(2, self.clock)
        )

    def test_a_full_bucket_has_its_burst_at_once(self) -> None:
        found = [self.buckets.take("a", rate=0.5) for _ in range(4)]

        self.assertEqual([0, 0, 2, 2], found)
        self.assertEqual(0, self.buckets.take("b", rate=0.5))

    def test_a_token_to_come_is_taken_where_it_may_be(self) -> None:
        found = [self.buckets.take("a", 1, within_s=1) for _ in range(4)]

        self.assertEqual([0, 0, 1, 2], found)

    def test_it_fills_no_higher_than_before(self) -> None:
        for _ in range(2):
            self.buckets.take("a", rate=1)

        self.clock.moment += 100

        found = [self.buckets.take("a", rate=1) for _ in range(3)]
        self.assertEqual([0, 0, 1], found)
