"""What callers may do: rules of RBAC and the reviews that tell of them."""
