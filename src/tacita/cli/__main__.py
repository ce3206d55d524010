"""`python -m tacita.cli`, where the command `tacita` is not on the path."""

from tacita.cli.main import main

main()
