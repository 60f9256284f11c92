"""Greedy Ncut merging by trying every pair every time: the oracle of `segjt.merging.greedy_ncut`."""

import itertools

import numpy as np


def greedy_ncut(W, n, self_weight):
    groups = np.arange(len(W))
    touching = W > 0
    terms = {g: ncut_term(W, groups == g, self_weight) for g in range(len(W))}
    while len(terms) > n:
        best = None
        for a, b in itertools.combinations(sorted(terms), 2):
            if touching[a, b]:
                merged = ncut_term(W, (groups == a) | (groups == b), self_weight)
                change = merged - terms[a] - terms[b]
                if best is None or change < best[0]:
                    best = change, a, b, merged
        _, a, b, merged = best
        groups[groups == b] = a
        touching[a] |= touching[b]
        touching[:, a] |= touching[:, b]
        touching[a, a] = False
        del terms[b]
        terms[a] = merged
    return np.unique(groups, return_inverse=True)[1]


def ncut_term(W, inside, self_weight):
    return W[inside][:, ~inside].sum() / (W[inside].sum() + self_weight * inside.sum())
