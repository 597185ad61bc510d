"""The usage dashboard that 3.6 makes opt-in: findings, steps, checks."""
