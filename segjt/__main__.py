"""`python -m segjt` is `segjt`."""

from segjt.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
