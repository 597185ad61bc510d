"""What the server knows of single built-in kinds: names, defaults and rules."""
