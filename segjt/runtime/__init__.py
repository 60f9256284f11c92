"""What everything runs on: compiled loops, vector arithmetic, threads.

Knows no other room of segjt; every room may know it.
"""
