"""``python -m tercet.interfaces.cli``."""

from tercet.interfaces.cli import main

if __name__ == "__main__":
    main()
