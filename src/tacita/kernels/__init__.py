"""Inner loops compiled by numba, on plain NumPy arrays.

Nothing here knows what a respondent or a class is: the modules count, group and add. Every kernel
is compiled at its first call and kept on disk; ``python -m tacita.kernels`` compiles all ahead.
"""
