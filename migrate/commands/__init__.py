"""The verbs: each puts records, decisions and ports together and ends with a document and an exit code."""
