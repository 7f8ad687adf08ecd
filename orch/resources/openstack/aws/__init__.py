"""Types of AWS on the services of OpenStack, as Heat has them."""
