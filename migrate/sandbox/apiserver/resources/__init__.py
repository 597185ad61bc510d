"""Which resources there are: the built-in ones and those that CRDs add."""
