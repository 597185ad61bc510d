"""The command line as a person meets it, called in this process; where a cluster is needed, one sandbox a module."""
