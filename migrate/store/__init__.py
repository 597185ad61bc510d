"""
The only room that knows the disk: run directories, journals, backups, plans, runbooks.

What is written here is fsynced, renamed into place, read back and sealed.
"""
