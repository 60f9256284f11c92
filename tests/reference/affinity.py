"""Distance weighting and degree normalisation as printed: oracles of `superpixels.affinity` and `spectral.ncut`."""

import numpy as np


def weight_by_distance(V, positions, lam, sigma=1.0, radius=np.inf):
    """V^(1 - lambda) exp(-lambda d^2 / sigma^2), entry by entry (paper 000, eq. 17)."""
    far = np.array([[np.hypot(*(p - r)) for r in positions] for p in positions])
    weight = np.exp(-lam * far**2 / sigma**2)
    return np.where((far < radius) & (V > 0), np.maximum(V, 1e-300) ** (1 - lam) * weight, 0.0)


def normalise(W):
    """D^(-1/2) W D^(-1/2); rows without affinity are 0."""
    degree = W.sum(1)
    root = np.array([1 / np.sqrt(d) if d > 0 else 0.0 for d in degree])
    return np.diag(root) @ W @ np.diag(root)
