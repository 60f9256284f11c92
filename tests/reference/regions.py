"""The region graph by sorting all contacts and filling all cells: the oracle of `segjt.region_graph`."""

import numpy as np

from segjt.region_graph.pixel_levels import PARTS


def region_graph(image, labels, bins):
    K = int(labels.max(initial=0))
    sizes = np.bincount(labels.ravel(), minlength=K + 1)[1:]
    ends, lengths = contacts(labels)
    return {"sizes": sizes, "histograms": histograms(image, labels, K, bins), "ends": ends, "lengths": lengths}


def contacts(labels):
    pairs = [np.empty((0, 2), np.int64)]
    for one, other in [(labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])]:
        touching = (one != other) & (one > 0) & (other > 0)
        pairs.append(np.stack([one[touching], other[touching]], 1).astype(np.int64) - 1)
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0, return_counts=True)


def histograms(image, labels, K, bins):
    inside = labels > 0
    bin_of = np.minimum((image.colours()[inside] * bins).astype(np.int64), bins - 1)
    channels = bin_of.shape[1]  # grey has three equal ones
    counts = np.zeros((K, channels, bins), np.int64)
    np.add.at(counts, (labels[inside][:, None] - 1, np.arange(channels)[None, :], bin_of), 1)
    return counts


def soft_counts(pixels, where):
    """Histogram of some pixels, each shared out between the two nearest bins by its distance from them."""
    counts = []
    for place, channel in enumerate(pixels.channels):
        at = pixels.levels[where][:, place] / PARTS
        counts += [np.maximum(1 - abs(at - b), 0).sum() * PARTS for b in range(channel.bins)]
    return np.array(counts)


def bhattacharyya(graph):
    roots = np.sqrt(graph["histograms"] / graph["sizes"][:, None, None])
    one, other = graph["ends"].T
    return np.minimum((roots[one] * roots[other]).sum((1, 2)) / roots.shape[1], 1.0)


def around(graph, i, j):
    """The regions i and j, and those that touch both."""
    touching = {frozenset(edge) for edge in graph["ends"].tolist()}
    return [i, j, *(k for k in range(len(graph["sizes"])) if {i, k} in touching and {j, k} in touching)]


def alikeness(graph, regions):
    """1 - JS / ln m of the histograms of m regions, entropy by entropy (paper 003, eq. 9)."""
    channels = graph["histograms"].shape[1]
    shares = [graph["histograms"][r].ravel() / (channels * graph["sizes"][r]) for r in regions]

    def entropy(p):
        return -sum(x * np.log(x) for x in p if x > 0)

    divergence = entropy(sum(shares) / len(shares)) - sum(map(entropy, shares)) / len(shares)
    return 1 - divergence / np.log(len(shares))
