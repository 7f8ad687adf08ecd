"""Types that send requests to any JSON REST service."""
