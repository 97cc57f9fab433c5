"""A fuzzer for model files and index folders that knows their structure.

It takes a valid file, changes what the header and the arrays say, makes all checksums right again, and gives
the file to everything that reads one. ``python -m tests.fuzz --mutants 1000`` runs it.
"""
