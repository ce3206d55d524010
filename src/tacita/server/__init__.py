"""The server: analysts ask a guarded database over HTTP."""
