"""What is wanted and what exists make a plan. Values in, values out."""
