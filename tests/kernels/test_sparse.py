import numpy as np
import pytest
from scipy.sparse import csr_array

from segjt.kernels import make_kernel
from segjt.kernels.sparse import sparse_heat, sparse_jt

ORDERS = [0.0, 1e-3, 0.5, 0.999, 1.0, 1.0 + 1e-8, 1.0001, 1.5, 1.999, 2.0]


def documents(seed, rows, columns=40, density=0.4):
    """Rows like counts of words divided by their sum; some values differ by orders of magnitude, one row is empty."""
    rng = np.random.default_rng(seed)
    counts = rng.zipf(1.5, (rows, columns)).clip(max=10_000) * (rng.random((rows, columns)) < density)
    counts[0] = 0
    return counts / np.maximum(counts.sum(1, keepdims=True), 1)


@pytest.mark.parametrize("seed", range(3))
def test_is_the_dense_kernel(seed):
    X, Y = documents(seed, 12), documents(seed + 9, 9)
    grams = sparse_jt(csr_array(X), csr_array(Y), ORDERS)
    assert grams.shape == (len(ORDERS), 12, 9)
    for q, gram in zip(ORDERS, grams, strict=True):
        kernel = make_kernel("jt2", q=q)
        scale = np.sqrt(np.outer(np.diag(kernel(X)), np.diag(kernel(Y))))
        assert (np.abs(gram - kernel(X, Y)) <= 1e-12 * scale).all()


def test_heat_is_the_dense_kernel():
    X, Y = documents(0, 12)[1:], documents(1, 9)[1:]
    taus = [0.01, 0.5, 1.0, 20.0]
    for rows in (X, Y):
        grams = sparse_heat(csr_array(X), csr_array(rows), taus)
        for tau, gram in zip(taus, grams, strict=True):
            assert np.allclose(gram, make_kernel("heat", tau=tau)(X, rows), rtol=0, atol=1e-7 / tau)


def test_zeros_may_be_stored():
    X = csr_array((np.array([0.0, 0.5, 0.5]), np.array([0, 1, 2]), np.array([0, 3])), shape=(1, 3))
    dense = np.array([[0.25, 0.25, 0.5]])
    expected = [make_kernel("jt2", q=q)(X.toarray(), dense).item() for q in ORDERS]
    assert np.allclose(sparse_jt(X, csr_array(dense), ORDERS).ravel(), expected, rtol=1e-13)


@pytest.mark.parametrize("kernel", [sparse_jt, sparse_heat])
def test_what_they_do_not_take(kernel):
    X = csr_array(np.array([[0.5, 0.5]]))
    with pytest.raises(ValueError, match="2 columns and Y has 3"):
        kernel(X, csr_array(np.ones((1, 3))), [1.0])
    with pytest.raises(ValueError, match=r"holds -0.5.*no negative"):
        kernel(X, -X, [1.0])
    with pytest.raises(ValueError, match=r"(q|tau) = \[-0.5, 1.5\] is not valid"):
        kernel(X, X, [-0.5, 1.5])
    with pytest.raises(ValueError, match=r"(q|tau) = \[\] is not valid"):
        kernel(X, X, [])
