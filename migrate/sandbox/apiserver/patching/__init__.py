"""The four ways to change a document by a patch, and who owns which field."""
