"""Types of CloudFormation that need no cloud."""
