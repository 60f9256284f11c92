import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segjt.merging.merges import groups_after, top_nodes, tree_pairs


def test_groups_after_some_merges():
    pairs = tree_pairs(4, np.array([(0, 1), (3, 2), (3, 0)]))
    assert pairs.tolist() == [[0, 1], [3, 2], [5, 4]]
    assert groups_after(4, pairs[:0]).tolist() == [0, 1, 2, 3]
    assert groups_after(4, pairs[:1]).tolist() == [2, 2, 0, 1]
    assert groups_after(4, pairs[:2]).tolist() == [0, 0, 1, 1]
    assert groups_after(4, pairs).tolist() == [0, 0, 0, 0]


@given(st.integers(1, 30), st.randoms(use_true_random=False))
def test_following_merges_one_by_one(K, random):
    """Against sets that are joined one after another."""
    sets = {region: {region} for region in range(K)}
    merges = []
    for _ in range(random.randrange(K)):
        kept, absorbed = random.sample(sorted(sets), 2)
        sets[kept] |= sets.pop(absorbed)
        merges.append((kept, absorbed))
    pairs = tree_pairs(K, np.array(merges, np.int64).reshape(-1, 2))
    assert (pairs < K + np.arange(len(pairs))[:, None]).all()
    top = top_nodes(K, pairs)
    assert {frozenset(members) for members in sets.values()} == {
        frozenset(np.flatnonzero(top == node).tolist()) for node in set(top.tolist())
    }
