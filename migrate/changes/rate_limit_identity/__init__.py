"""The new rate-limit identity of subscriptions: findings, steps, checks."""
