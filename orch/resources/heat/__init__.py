"""Types that need no service: values, randomness, waiting."""
