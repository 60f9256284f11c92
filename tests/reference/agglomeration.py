"""Greedy merging by looking at every edge every time: the oracle of `segjt.merging.agglomeration`."""

import numpy as np

from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PARTS


def obvious_merges(regions, stop, cues=None, powers=(), growth=0.01):
    """Return the merges (pairs of nodes) and their heights, with the sums of groups added up anew each time.

    The costs of edges of the larger of the two regions are those from when it was smaller, by up to `growth`.
    """
    K, N = len(regions), regions.sizes.sum()
    cues = np.zeros((K, 0)) if cues is None else cues
    groups = {k: [k] for k in range(K)}  # node -> regions
    known_size = {k: regions.sizes[k] for k in range(K)}
    known, pairs, heights = {}, [], []
    while len(groups) > stop:
        group_of = {region: node for node, members in groups.items() for region in members}
        edges = {}
        for edge, (i, j) in enumerate(regions.ends.tolist()):
            if group_of[i] != group_of[j]:
                edges.setdefault(frozenset((group_of[i], group_of[j])), []).append(edge)
        if not edges:
            break
        now = {pair: cost_and_height(regions, groups, sorted(pair), edges[pair], cues, powers, N) for pair in edges}
        known = {pair: known.get(pair, now[pair][0]) for pair in edges}
        best = min(known, key=known.get)
        heights.append(now[best][1])
        pairs.append(sorted(best))
        larger, smaller = sorted(best, key=lambda node: (-regions.sizes[groups[node]].sum(), node))
        new = K + len(pairs) - 1
        groups[new] = groups.pop(larger) + groups.pop(smaller)
        known_size[new] = known_size[larger]
        if regions.sizes[groups[new]].sum() > (1 + growth) * known_size[new]:
            known_size[new] = regions.sizes[groups[new]].sum()
        else:
            beside_smaller = {node for pair in edges if smaller in pair for node in pair}
            for pair in [pair for pair in edges if larger in pair]:
                (neighbour,) = pair - {larger}
                if neighbour not in beside_smaller:
                    known[frozenset((new, neighbour))] = known[pair]
    return pairs, heights


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
