"""Greedy Ncut merging by trying every pair every time: the oracles of `segjt.merging.greedy_ncut`."""

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


def greedy_merges(W, n, within):
    """The merges (kept, absorbed), with cuts, volumes and weights kept up to date.

    An edge is (i, j) with the group that was merged last first, or the smaller number. Of equally good merges that of
    the smallest (i, j) goes first, and the group with more neighbours is kept, or i.
    """
    rows = [{j: w for j, w in enumerate(row) if w > 0} for row in W.tolist()]
    cut = [sum(row.values()) for row in rows]
    vol = [c + w for c, w in zip(cut, within, strict=True)]
    age = [0] * len(rows)

    def change(i, j):
        return (cut[i] + cut[j] - 2 * rows[i][j]) / (vol[i] + vol[j]) - cut[i] / vol[i] - cut[j] / vol[j]

    merges = []
    while len(merges) < len(rows) - n:
        edges = [(i, j) for i, row in enumerate(rows) for j in row if (-age[i], i) < (-age[j], j)]
        if not edges:
            break
        _, i, j = min((change(i, j), i, j) for i, j in edges)
        if len(rows[i]) < len(rows[j]):
            i, j = j, i
        shared = rows[i].pop(j)
        del rows[j][i]
        cut[i] += cut[j] - 2 * shared
        vol[i] += vol[j]
        for k, weight in rows[j].items():
            del rows[k][j]
            rows[i][k] = rows[k][i] = rows[i].get(k, 0.0) + weight
        rows[j] = {}
        merges.append((i, j))
        age[i] = len(merges)
    return merges
