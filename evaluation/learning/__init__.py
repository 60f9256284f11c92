"""The learning experiments of the five papers: one module an experiment, all listed in `registry.py`."""
