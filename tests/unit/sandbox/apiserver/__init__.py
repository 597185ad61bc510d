"""The API server of the sandbox, tested without a socket."""
