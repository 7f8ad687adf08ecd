"""Templates of child stacks: inputs, checks and the tree."""
