"""Greedy merging by looking at every edge every time: the oracle of `segjt.agglomeration`."""

import numpy as np

from segjt.pixel_levels import GRADIENT_UNITS, PARTS


def obvious_merges(regions, stop, cues=None, powers=()):
    """Return the merges (pairs of nodes), their heights and costs, with the sums of groups added up anew each time."""
    K, N = len(regions), regions.sizes.sum()
    cues = np.zeros((K, 0)) if cues is None else cues
    groups = {k: [k] for k in range(K)}  # node -> regions
    pairs, heights, costs = [], [], []
    while len(groups) > stop:
        group_of = {region: node for node, members in groups.items() for region in members}
        edges = {}
        for edge, (i, j) in enumerate(regions.ends.tolist()):
            if group_of[i] != group_of[j]:
                edges.setdefault(frozenset((group_of[i], group_of[j])), []).append(edge)
        if not edges:
            break
        found = {pair: cost_and_height(regions, groups, sorted(pair), edges[pair], cues, powers, N) for pair in edges}
        best = min(found, key=lambda pair: found[pair][0])
        costs.append(found[best][0])
        heights.append(found[best][1])
        pairs.append(sorted(best))
        one, other = pairs[-1]
        groups[K + len(pairs) - 1] = groups.pop(one) + groups.pop(other)
    return pairs, heights, costs


def cost_and_height(regions, groups, pair, edges, cues, powers, N):
    sizes = [regions.sizes[groups[node]].sum() for node in pair]
    p, q = (
        regions.histograms[groups[node]].sum(0) / (PARTS * size * len(regions.channels))
        for node, size in zip(pair, sizes, strict=True)
    )
    x, y = (
        np.average(cues[groups[node]], axis=0, weights=regions.sizes[groups[node]]) if cues.shape[1] else np.zeros(0)
        for node in pair
    )
    colour = 1e-4 + 1 - np.sqrt(p * q).sum()
    length = regions.lengths[edges].sum()
    light = 0.05 + regions.gradients[edges].sum() / (2 * GRADIENT_UNITS * length)
    s = sizes[0] * sizes[1] / sum(sizes)
    cost = np.log(colour) + np.log(light) + 0.7 * np.log(s) - 0.7 * np.log(length)
    height = 0.7 * np.log(colour) + np.log(light) + 0.3 * np.log(s / N)
    different = height > -3.4
    if not different:
        cost += sum(power * np.log(0.06 + difference) for power, difference in zip(powers, abs(x - y), strict=True))
    return (different, cost), height
