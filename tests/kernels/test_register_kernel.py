"""Kernels from outside: registering them, forgetting them, and what a class must define."""

import dataclasses

import numpy as np
import pytest
from reference.rows import points

from segjt.fields import field
from segjt.kernels import Kernel, kernel_names, make_kernel, register_kernel, unregister_kernel
from segjt.kernels.base import Composite
from segjt.kernels.registry import COMPOSITES, KERNELS, kernel_class


@pytest.fixture
def registry():
    """The registry, restored after the test."""
    kernels, composites = dict(KERNELS), list(COMPOSITES)
    yield
    KERNELS.clear()
    KERNELS.update(kernels)
    COMPOSITES[:] = composites


@dataclasses.dataclass(frozen=True)
class Cauchy(Kernel):
    """Cauchy kernel 1 / (1 + |x - y|^2 / s^2)."""

    name = "cauchy"
    s: float = field(1.0, "width of the Cauchy kernel", float, low=1e-6)

    def gram(self, X, Y):
        return 1 / (1 + ((X[:, None] - Y[None]) ** 2).sum(2) / self.s**2)


def test_a_registered_kernel_is_known_by_its_name(registry):
    from segjt.learn import KernelKMeans

    assert register_kernel(Cauchy) is Cauchy
    assert kernel_names()[-1] == "cauchy"
    assert kernel_class("cauchy") is Cauchy
    assert make_kernel("cauchy", s=2.0) == Cauchy(s=2.0)
    assert make_kernel("normalized", kernel="cauchy", s=2.0).base == Cauchy(s=2.0)
    assert "s : float, default 1.0" in Cauchy.__doc__
    with pytest.raises(ValueError, match=r"'cauchy' has no parameter 'q'; it takes s"):
        make_kernel("cauchy", q=1)
    X = np.concatenate([points(0, 8) / 10, 5 + points(1, 8) / 10])
    labels = KernelKMeans(2, kernel="cauchy").fit_predict(X)
    assert sorted(labels.tolist()) == [0] * 8 + [1] * 8
    unregister_kernel("cauchy")
    assert "cauchy" not in kernel_names()
    with pytest.raises(ValueError, match="'cauchy' is unknown"):
        unregister_kernel("cauchy")


@pytest.mark.parametrize(
    "similarity",
    [
        lambda X, Y: (X @ Y.T).astype(int),
        lambda X, Y: np.broadcast_to(2.0, (len(X), len(Y))),
        lambda X, Y: X,
    ],
    ids=["whole numbers", "read-only", "the rows themselves"],
)
def test_the_logarithm_of_any_array_that_gram_returns(similarity):
    class Arbitrary(Kernel):
        """A kernel that does not return a new array of float64."""

        name = "arbitrary"

        def gram(self, X, Y):
            return similarity(X, Y)

    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = np.log(similarity(X, X))
    np.testing.assert_array_equal(Arbitrary().log_affinity(X), expected)
    assert X.tolist() == [[1, 2], [3, 4]]


def test_registering_again_is_fine_for_the_same_class_only(registry):
    for _ in range(2):  # the cell of a notebook, run twice

        @register_kernel
        class Twice(Kernel):
            name = "twice"

            def gram(self, X, Y):
                return X @ Y.T

    assert kernel_class("twice") is Twice
    assert kernel_names().count("twice") == 1

    class JT2(Twice):
        name = "jt2"

    with pytest.raises(ValueError, match=r"the name 'jt2' belongs to segjt.kernels.jensen.JT2; give JT2 another name"):
        register_kernel(JT2)
    assert kernel_class("jt2") is not JT2


def test_a_registered_composite_takes_a_base_kernel(registry):
    @register_kernel
    class Squared(Composite):
        name = "squared"

        def gram(self, X, Y):
            return self.base_gram(X, Y) ** 2

    assert "squared" in COMPOSITES
    X = points(0)
    np.testing.assert_allclose(make_kernel("squared", kernel="jt2", q=2.0)(X), (2 * X @ X.T) ** 2, atol=1e-12)
    unregister_kernel("squared")
    assert "squared" not in COMPOSITES


def test_what_cannot_be_registered():
    class Nameless(Kernel):
        def gram(self, X, Y):
            return X @ Y.T

    class Empty(Kernel):
        name = "empty"

    class Undecorated(Nameless):
        name = "undecorated"
        s: float = field(1.0, "width", float, low=1e-6)

    for wrong, words in (
        (
            Undecorated,
            r"Undecorated declares parameters but is not a dataclass; put @dataclass\(frozen=True\) below",
        ),
        (Nameless, 'Nameless has no name; give it one, such as name = "nameless"'),
        (Empty, r"Empty has no similarity to compute; define Empty.gram or .log_gram"),
        (dict, "is not a kernel; register a subclass of segjt.kernels.Kernel"),
        (make_kernel("jt2"), "is not a kernel"),
    ):
        with pytest.raises(TypeError, match=words):
            register_kernel(wrong)
    assert "empty" not in kernel_names()


@pytest.mark.parametrize("method", ["__call__", "affinity", "log_affinity"])
def test_a_kernel_with_neither_gram_nor_log_gram_is_named(method):
    """Each is derived from the other, which must not go on forever."""

    class Empty(Kernel):
        name = "empty"

    with pytest.raises(TypeError, match=r"Empty has no similarity to compute; define Empty.gram or .log_gram"):
        getattr(Empty(), method)(points(0))
