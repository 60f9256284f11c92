"""One self-contained HTML page of tables, charts and a gallery, for batches and benchmarks.

In: numbers, texts, images and label maps. Out: a page that needs no network and no other file.
Knows `image`, `runtime`, `results` for overlays and `io` for writing; never the pipeline or the evaluation.
"""
