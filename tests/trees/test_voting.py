import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import segjt
from segjt.superpixels.blocks import voting_sizes
from segjt.trees.voting import adjusted_rand, most_alike


def test_sizes_lie_around_the_block_size():
    assert voting_sizes(12, 1) == [12]
    assert voting_sizes(12, 3) == [12, 8, 16]
    assert voting_sizes(32, 5) == [32, 27, 37, 21, 43]
    assert voting_sizes(4, 3) == [4, 5]


def test_the_index_leaves_out_what_is_masked():
    rng = np.random.default_rng(0)
    one, other = rng.integers(1, 5, (2, 20, 30)).astype(np.int32)
    other[:, :12] = one[:, :12]
    assert adjusted_rand(one, other) == pytest.approx(adjusted_rand_score(one.ravel(), other.ravel()))
    masked = rng.random((20, 30)) < 0.3
    expected = adjusted_rand_score(one[~masked], other[~masked])
    assert adjusted_rand(np.where(masked, 0, one), np.where(masked, 0, other)) == pytest.approx(expected)
    assert adjusted_rand(np.ones_like(one), np.ones_like(one)) == 1.0


def test_the_odd_one_out_loses(crop):
    usual, finer = segjt.hierarchy(crop), segjt.hierarchy(crop, block_size=10)
    odd = segjt.MergeTree(usual.initial, usual.merges, usual.heights, n_auto=len(usual))
    assert adjusted_rand(usual.cut(), finer.cut()) > adjusted_rand(usual.cut(), odd.cut())
    assert most_alike([odd, usual, finer]) is not odd


def test_votes_give_the_tree_of_one_of_the_sizes(crop):
    calls = []
    tree = segjt.hierarchy(crop, votes=3, progress=lambda done, total: calls.append((done, total)))
    single = [segjt.hierarchy(crop, block_size=size).initial for size in (8, 12, 16)]
    assert sum((tree.initial == initial).all() for initial in single) == 1
    assert (segjt.segment(crop, preset="best") == tree.cut()).all()
    assert (segjt.segment(crop, 5, votes=3) == tree.cut(5)).all()
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1][0] == calls[-1][1]


def test_two_have_no_majority():
    with pytest.raises(ValueError, match="votes = 2 is not valid: two have no majority; give 1, or 3 to 9"):
        segjt.Parameters(votes=2)


def test_votes_need_hierarchies():
    with pytest.raises(ValueError, match=r"votes = 3 does not go with .*merge_method = 'spectral'; hierarchies vote"):
        segjt.Parameters(votes=3, merge_method="spectral")
