"""What a request does: one module a verb."""
