"""What a user would reach for otherwise: segmentations of other libraries, each a function of an RGB image.

Each takes an (H, W, 3) uint8 image and returns integer labels; `peer_labels` numbers them from 1. Those that look for
many objects (`segjt.evaluation.object_peers`) keep 0 for the background. Peers that cannot be run here take what comes
with the data set in place of the image: the contour map of `gpb_owt_ucm`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from segjt.datasets.items import Item, Photo
from segjt.evaluation.object_peers import OBJECT_PEERS, OBJECT_TITLES
from segjt.evaluation.scorers import Scorer
from segjt.evaluation.scores import numbered
from segjt.evaluation.unit_of_work import Unit
from segjt.fields import suggestion
from segjt.labels import compact
from segjt.runtime.arrays import Floats, Labels

# Most of the libraries do not say that what they return is an integer array.
Segments: TypeAlias = Any


def felzenszwalb(image: Photo, scale: float = 100, sigma: float = 0.5, min_size: int = 50) -> Segments:
    """Felzenszwalb and Huttenlocher's merging of a minimum spanning tree (scikit-image)."""
    from skimage.segmentation import felzenszwalb as segment

    return segment(image, scale=scale, sigma=sigma, min_size=min_size)


def slic(image: Photo, n_segments: int = 400, compactness: float = 30) -> Segments:
    """SLIC superpixels (scikit-image)."""
    from skimage.segmentation import slic as segment

    return segment(image, n_segments=n_segments, compactness=compactness, start_label=1)


def slic_ncut(image: Photo, n_segments: int = 400, compactness: float = 30, thresh: float = 0.001) -> Segments:
    """SLIC superpixels, then two-way normalized cuts of their graph of mean colours (scikit-image)."""
    from skimage.graph import cut_normalized, rag_mean_color

    labels = slic(image, n_segments, compactness)
    return cut_normalized(labels, rag_mean_color(image, labels, mode="similarity"), thresh=thresh, rng=0)


def mean_shift(image: Photo, spatial: float = 10, colour: float = 20, tolerance: int = 2) -> Segments:
    """Mean shift filtering (OpenCV), then connected neighbours whose channels differ by at most `tolerance`."""
    import cv2
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    filtered = cv2.pyrMeanShiftFiltering(image, spatial, colour).astype(np.int16)
    pixel = np.arange(filtered[:, :, 0].size).reshape(filtered.shape[:2])
    right = (np.abs(np.diff(filtered, axis=1)) <= tolerance).all(2)
    below = (np.abs(np.diff(filtered, axis=0)) <= tolerance).all(2)
    one = np.concatenate([pixel[:, :-1][right], pixel[:-1][below]])
    other = np.concatenate([pixel[:, 1:][right], pixel[1:][below]])
    links = coo_array((np.ones(len(one), bool), (one, other)), shape=(pixel.size, pixel.size))
    return connected_components(links, directed=False)[1].reshape(pixel.shape)


def kmeans_lab(image: Photo, clusters: int = 4) -> Segments:
    """k-means of the colours in CIE Lab (scikit-learn)."""
    from skimage.color import rgb2lab
    from sklearn.cluster import KMeans

    colours = rgb2lab(image).reshape(-1, 3)
    distinct = len(np.unique(image.reshape(-1, 3), axis=0))
    groups = KMeans(min(clusters, distinct), n_init=4, random_state=0).fit_predict(colours)
    return groups.reshape(image.shape[:2])


def otsu(image: Photo, classes: int = 2) -> Segments:
    """Otsu's thresholds of the grey levels (scikit-image); an image with fewer levels is cut into these."""
    from skimage.filters import threshold_multiotsu

    grey = np.rint(image @ np.array([0.2125, 0.7154, 0.0721])).astype(np.uint8)
    levels = np.unique(grey)
    thresholds = threshold_multiotsu(grey, classes) if len(levels) > classes else levels[:-1]
    return np.digitize(grey, thresholds, right=True)


def watershed(image: Photo, sigma: float = 2.0, markers: int = 20, compactness: float = 0.0) -> Segments:
    """Watershed of the gradient of the smoothed grey levels, from evenly spaced markers (scikit-image)."""
    from skimage.color import rgb2gray
    from skimage.filters import gaussian, sobel
    from skimage.segmentation import watershed as flood

    return flood(sobel(gaussian(rgb2gray(image), sigma)), markers=markers, compactness=compactness)


def gpb_owt_ucm(contours: Floats, threshold: float = 0.1) -> Segments:
    """Regions of the contour maps by Arbelaez et al. (gPb-owt-ucm), which was trained on Berkeley's images."""
    from scipy.ndimage import label

    return label(contours <= threshold)[0][1::2, 1::2]


SEGMENT_PEERS: dict[str, Callable[..., Segments]] = {
    "felzenszwalb": felzenszwalb,
    "slic_ncut": slic_ncut,
    "mean_shift": mean_shift,
    "kmeans_lab": kmeans_lab,
    "otsu": otsu,
    "watershed": watershed,
}
PEERS = SEGMENT_PEERS | OBJECT_PEERS
# Peers that are given the contour map that comes with an image.
OF_CONTOURS: dict[str, Callable[..., Segments]] = {"gpb_owt_ucm": gpb_owt_ucm}
TITLES = {
    "felzenszwalb": "Felzenszwalb (scikit-image)",
    "slic_ncut": "SLIC + normalized cut (scikit-image)",
    "mean_shift": "mean shift (OpenCV)",
    "kmeans_lab": "k-means in Lab (scikit-learn)",
    "otsu": "Otsu (scikit-image)",
    "watershed": "watershed (scikit-image)",
    "gpb_owt_ucm": "gPb-owt-ucm (trained; its contour maps)",
} | OBJECT_TITLES


def check_peer(name: str, parameters: Mapping[str, Any]) -> None:
    """Raise a ValueError unless there is such a peer with such parameters."""
    peers = PEERS | OF_CONTOURS
    if name not in peers:
        raise ValueError(f"no peer is called {name!r}{suggestion(name, peers)}; choose from {', '.join(peers)}")
    known = list(inspect.signature(peers[name]).parameters)[1:]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(
                f"{name} has no parameter {parameter!r}{suggestion(parameter, known)}; choose from {', '.join(known)}"
            )


def has_input(item: Item, method: str) -> bool:
    """Tell whether an image comes with what a method is given."""
    return method not in OF_CONTOURS or item.contour_file is not None


def input_of(item: Item, method: str) -> Photo | Floats:
    """Return what a method is given of an image: its pixels, or the contour map that comes with it."""
    return item.contours() if method in OF_CONTOURS else item.image()


def peer_labels(image: Photo | Floats, name: str, parameters: Mapping[str, Any]) -> Labels:
    """Return the labels 1..K by a peer, computed on one core, of an image or of what `input_of` gives in its place.

    0 is background if the peer looks for objects.
    """
    import cv2

    cv2.setNumThreads(1)
    with threadpool_limits(1):
        labels = (PEERS | OF_CONTOURS)[name](image, **parameters)
    if name in OBJECT_PEERS:
        return compact(labels)
    return (numbered(labels)[1] + 1).reshape(labels.shape).astype(np.int32)


def run_peer(image: Photo | Floats, unit: Unit, scorer: Scorer) -> Iterator[tuple[list[float], float]]:
    """Yield the scores and seconds of a peer with each setting of a unit."""
    for setting in unit.settings():
        start = time.process_time()
        labels = peer_labels(image, unit.method, setting)
        seconds = time.process_time() - start
        objects = unit.method in OBJECT_PEERS
        yield scorer.score_objects(labels) if objects else scorer.score(scorer.count(labels)), seconds
