"""``python -m kernellens``: the command `kernellens`."""

from kernellens.cli import main

if __name__ == "__main__":
    main()
