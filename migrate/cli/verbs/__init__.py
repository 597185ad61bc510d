"""One verb a file: what it takes, and the command that does it."""
