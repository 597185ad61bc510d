"""The language on the wire: JSON values, requests, what they aim at, responses and refusals."""
