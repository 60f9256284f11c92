"""What everything runs on: compiled loops, vector arithmetic inside them, threads, and the names of array types.

Knows no other room of segjt; every room may know it.
"""
