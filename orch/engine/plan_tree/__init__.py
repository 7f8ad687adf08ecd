"""Plans of a stack with its child stacks, as previews and plans show them."""
