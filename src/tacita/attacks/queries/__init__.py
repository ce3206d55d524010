"""One file an adversary who asks a guarded database questions."""
