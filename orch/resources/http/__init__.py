"""Types that speak to any JSON REST service."""
