"""Child stacks: the resources that are stacks of their own."""
