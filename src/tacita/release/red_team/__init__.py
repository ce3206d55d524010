"""A red team: a process of its own that sees only the bytes of `public/`, and looks for leaks.

`secrets` gathers what must not be there, `process` starts the other process and asks it. All other
modules run there: they know keyed hashes of secrets, no secret, and import little.
"""
