"""Tests of the source; they use helpers of Orch's tests."""
