"""The verbs of the command line; each parses, calls one function and prints."""
