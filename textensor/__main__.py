"""``python -m textensor`` is the command."""

from textensor.cli import main

if __name__ == "__main__":
    main()
