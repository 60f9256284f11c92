"""The learning experiments of the five papers: one module per experiment, all listed in `registry.py`."""
