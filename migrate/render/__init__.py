"""Records to text for people. Pure; the documents for scripts are the records themselves."""
