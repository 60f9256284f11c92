"""Estimators: the kernels and the pipeline as scikit-learn users know them.

In: vectors or an image. Out: fitted estimators with `labels_`. Knows everything but the command line and `evaluation`.

>>> from segjt.learn import KernelSpectralClustering
>>> KernelSpectralClustering(2, kernel="gaussian").fit_predict([[0.0], [0.1], [5.0]]).tolist()
[0, 0, 1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from segjt.learn.features import ExplicitFeatures, NystroemFeatures
    from segjt.learn.kernel_kmeans import KernelKMeans
    from segjt.learn.kernel_pca import KernelPCAKMeans
    from segjt.learn.segmenter import Segmenter
    from segjt.learn.spectral import KernelSpectralClustering

__all__ = [
    "ExplicitFeatures",
    "KernelKMeans",
    "KernelPCAKMeans",
    "KernelSpectralClustering",
    "NystroemFeatures",
    "Segmenter",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "features": ["ExplicitFeatures", "NystroemFeatures"],
        "kernel_kmeans": ["KernelKMeans"],
        "kernel_pca": ["KernelPCAKMeans"],
        "segmenter": ["Segmenter"],
        "spectral": ["KernelSpectralClustering"],
    },
)
