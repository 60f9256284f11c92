"""scikit-learn estimators on the kernels and the pipeline.

>>> from segjt.learn import KernelSpectralClustering
>>> KernelSpectralClustering(2, kernel="gaussian").fit_predict([[0.0], [0.1], [5.0]]).tolist()
[0, 0, 1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segjt.lazy import lazy_names

if TYPE_CHECKING:
    from segjt.learn.kernel_kmeans import KernelKMeans
    from segjt.learn.kernel_pca import KernelPCAKMeans
    from segjt.learn.segmenter import Segmenter
    from segjt.learn.spectral import KernelSpectralClustering

__all__ = ["KernelKMeans", "KernelPCAKMeans", "KernelSpectralClustering", "Segmenter"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "KernelKMeans": "segjt.learn.kernel_kmeans",
        "KernelPCAKMeans": "segjt.learn.kernel_pca",
        "KernelSpectralClustering": "segjt.learn.spectral",
        "Segmenter": "segjt.learn.segmenter",
    },
)
