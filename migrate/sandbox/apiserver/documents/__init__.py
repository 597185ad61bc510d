"""What the server tells of itself and how it lays objects out: discovery, OpenAPI, tables."""
