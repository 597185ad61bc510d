"""HTTP/1.1 before the server: a thread a connection, watches in chunks, an end without loose ones."""
