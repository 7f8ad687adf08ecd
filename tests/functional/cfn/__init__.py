"""Tests of the CloudFormation-compatible API, by Amazon's own clients."""
