"""One self-contained HTML page of tables, charts and a gallery, for batches and benchmarks.

Numbers and pictures come in, a page comes out. Never knows the pipeline.
"""
