"""The region graph by sorting all contacts and filling all cells: the oracle of `segjt.region_graph.regions`."""

import numpy as np


def region_graph(image, labels, bins):
    K = int(labels.max(initial=0))
    sizes = np.bincount(labels.ravel(), minlength=K + 1)[1:]
    indptr, indices, lengths = contacts(labels, K)
    found = {"sizes": sizes, "histograms": histograms(image, labels, K, bins)}
    return found | {"indptr": indptr, "indices": indices, "lengths": lengths}


def contacts(labels, K):
    keys = []
    for one, other in [(labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])]:
        touching = (one != other) & (one > 0) & (other > 0)
        a, b = one[touching].astype(np.int64) - 1, other[touching].astype(np.int64) - 1
        keys += [a * K + b, b * K + a]
    pairs, lengths = np.unique(np.concatenate(keys), return_counts=True)
    return np.searchsorted(pairs, np.arange(K + 1) * K), pairs % max(K, 1), lengths


def histograms(image, labels, K, bins):
    inside = labels > 0
    bin_of = np.minimum((image.values()[inside] * bins).astype(np.int64), bins - 1)
    counts = np.zeros((K, image.channels, bins), np.int64)
    np.add.at(counts, (labels[inside][:, None] - 1, np.arange(image.channels)[None, :], bin_of), 1)
    return counts


def bhattacharyya(graph):
    roots = np.sqrt(graph["histograms"] / graph["sizes"][:, None, None])
    sources = np.repeat(np.arange(len(roots)), np.diff(graph["indptr"]))
    products = (roots[sources] * roots[graph["indices"]]).sum((1, 2))
    return np.minimum(products / roots.shape[1], 1.0)
