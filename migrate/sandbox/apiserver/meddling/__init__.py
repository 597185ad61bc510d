"""What a test does behind the clients: faults on demand, and a log of what was asked."""
