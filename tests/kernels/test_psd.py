"""Positive semi-definite or not: what each kernel says of itself, on adversarial points, and the counterexamples."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from reference.rows import in_domain

from segjt.kernels import kernel_names, make_kernel
from segjt.kernels.gaussians import COVARIANCE_DISTANCES, MEAN_DISTANCES, Gaussians
from segjt.kernels.tsallis import jt_term
from segjt.superpixels.affinity import weight_by_distance

unit = st.one_of(st.sampled_from([0.0, 1.0, 1 / 255]), st.floats(0, 1, allow_subnormal=False))
rows = hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 3)), elements=unit)
CLUSTERED = np.concatenate(
    [np.full((5, 3), 0.2), np.full((5, 3), 0.200001), np.eye(3), np.zeros((1, 3)), np.ones((1, 3))]
)


def smallest_eigenvalue(gram):
    """The smallest eigenvalue, relative to the largest."""
    values = np.linalg.eigvalsh((gram + gram.T) / 2)
    return values.min() / max(values.max(), 1e-300)


def claims():
    """Every kernel that says it is positive semi-definite, at the ends and in the middle of its parameters."""
    for name in kernel_names():
        if make_kernel(name).is_psd:
            yield name, {}
            for parameter, values in {"q": (0, 0.4, 2), "t": (1e-3, 30), "n": (2, 4), "order": (0, "inf")}.items():
                for value in values:
                    try:
                        k = make_kernel(name, **{parameter: value})
                    except ValueError:
                        continue
                    if k.is_psd:
                        yield name, {parameter: value}


@pytest.mark.parametrize(("name", "parameters"), list(claims()))
def test_kernels_that_say_so_are_positive_semidefinite(name, parameters):
    k = make_kernel(name, **parameters)
    for seed, (N, d) in enumerate([(30, 1), (30, 3), (25, 8)]):
        X = np.random.default_rng(seed).random((N, d))
        X[::7] = 0
        X[3] = X[4]
        # The affinity is free of the common factor by which exp(30 k) would overflow.
        assert smallest_eigenvalue(k.affinity(in_domain(k, X))) >= -1e-11
    assert smallest_eigenvalue(k.affinity(in_domain(k, CLUSTERED))) >= -1e-11


@pytest.mark.parametrize("name", [name for name in kernel_names() if make_kernel(name).is_psd])
@given(X=rows)
def test_on_adversarial_points(name, X):
    k = make_kernel(name)
    assert smallest_eigenvalue(k(in_domain(k, X))) >= -1e-10


def test_every_kernel_says_where_it_holds():
    for name in kernel_names():
        k = make_kernel(name)
        text = k.positive_semidefinite
        assert k.is_psd == text.startswith("yes") or name in ("expjr", "relaxed_b"), name
    assert [make_kernel("expjr", q=q).is_psd for q in (0, 1, 1.01, 2)] == [True, True, False, False]
    assert [make_kernel("relaxed_b", sigma=s).is_psd for s in (1, 2, "auto")] == [True, False, False]
    assert not make_kernel("normalized", kernel="self_tuning").is_psd
    assert make_kernel("npoint", kernel="self_tuning").is_psd


# --- Where a paper claims more than is true (errata, part 4) ---


def test_jt_beyond_q_2():
    x = np.array([1.0, 0.1])
    assert smallest_eigenvalue(jt_term(x[:, None], x[None, :], 3.0)) < -1e-3
    x = np.array([1.0, 0.1, 0.5])
    assert smallest_eigenvalue(jt_term(x[:, None], x[None, :], -1.0)) < -1e-3


def test_self_tuning_gaussian():
    worst = 1.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((12, 1)) * np.exp(rng.uniform(-3, 3, (12, 1)))  # dense and sparse places
        worst = min(worst, smallest_eigenvalue(make_kernel("self_tuning")(X)))
    assert worst < -1e-3


def test_exponentiated_jensen_renyi_at_q_2():
    # Near-degenerate distributions: R_2 is not concave, so JR_2 can be negative, which no such kernel allows.
    worst = 1.0
    for seed in range(200):
        P = np.random.default_rng(seed).dirichlet([0.1] * 3, 6)
        worst = min(worst, smallest_eigenvalue(make_kernel("expjr", q=2, t=1)(P)))
    assert worst < -1e-3


PAPER_POINTS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]])


def test_heat_kernel_of_the_papers_four_points():
    """Proposition 11: negative for large tau; the turn is at 11.66."""
    values = {tau: np.linalg.eigvalsh(make_kernel("heat", tau=tau)(PAPER_POINTS)).min() for tau in (1, 11, 12.5, 100)}
    assert values[1] > 0
    assert values[11] > 0
    assert values[12.5] < 0
    np.testing.assert_allclose(values[100], -5.3e-4, rtol=0.01)


@pytest.mark.parametrize("tau", [0.01, 1, 100, 1e4])
def test_heat_kernel_of_two_outcomes_holds(tau):
    p = np.random.default_rng(0).random(20)
    assert smallest_eigenvalue(make_kernel("heat", tau=tau)(np.stack([p, 1 - p], 1))) >= -1e-12


def normals(*parameters):
    """One-dimensional Gaussians from pairs (mean, variance)."""
    means, variances = np.array(parameters, float).T
    return Gaussians(means[:, None], variances[:, None, None])


@pytest.mark.parametrize(
    ("name", "sigma", "given", "smallest"),
    [
        ("relaxed_j", 10, normals((0, 0.25), (0, 1), (0, 4)), -0.040),
        ("relaxed_jr", 100, normals((0, 0.01), (0, 100), (30, 100)), -0.30),
        ("relaxed_br", 100, normals((-17, 0.01), (17, 0.01), (-17, 100), (17, 100)), -0.34),
        ("relaxed_b", 20, normals((-7, 0.04), (0, 50), (7, 0.04)), -0.30),
    ],
)
def test_relaxed_kernels_against_the_papers_claim(name, sigma, given, smallest):
    value = np.linalg.eigvalsh(make_kernel(name, sigma=sigma)(given)).min()
    np.testing.assert_allclose(value, smallest, atol=0.006)


def test_relaxed_j_on_iris_and_wine():
    from sklearn.datasets import load_iris, load_wine

    for load in (load_iris, load_wine):
        data = load(return_X_y=True)[0]
        gram = make_kernel("relaxed_j")((data - data.mean(0)) / data.std(0))
        assert smallest_eigenvalue(gram) < -1e-6


def test_the_riemannian_kernel_in_two_dimensions():
    """exp(-d_R / sigma) holds for p = 1 only: eigenvalue -0.0067 on these covariances, sigma = 50."""

    def covariance(tau, r, theta):
        c, s = np.cos(theta / 2), np.sin(theta / 2)
        rotation = np.array([[c, -s], [s, c]])
        return np.exp(tau / 2) * rotation @ np.diag([np.exp(r), np.exp(-r)]) @ rotation.T

    shapes = [(0, 0)] + [(6, theta) for theta in np.arange(8) * np.pi / 4]
    S = np.array([covariance(tau, r, theta) for tau in (-16, -8, 0, 8, 16) for r, theta in shapes])
    G = Gaussians(np.zeros((len(S), 2)), S)
    k = make_kernel("relaxed_r", sigma=50)
    np.testing.assert_allclose(np.linalg.eigvalsh(k(G)).min(), -0.0067, atol=2e-4)
    assert smallest_eigenvalue(k(ONE_MEAN)) >= -1e-12


# --- The parts of the relaxed kernels: paper 004 holds that K_mu, K_Sigma and so their products are all kernels ---

ONE_MEAN = normals(*((0, v) for v in np.exp(np.linspace(-9, 9, 25))))


@pytest.mark.parametrize("mean_distance", MEAN_DISTANCES)
@pytest.mark.parametrize("sigma", [0.5, 1, 10])
def test_the_kernel_of_means(mean_distance, sigma):
    """Two Gaussians with one mean have K_mu = 1, and yet are not equally similar to a third."""
    K = make_kernel("relaxed_mu", mean_distance=mean_distance, sigma=sigma)(normals((0, 0.25), (0, 4), (1, 1)))
    assert K[0, 1] == 1
    assert abs(K[0, 2] - K[1, 2]) > 0.01
    assert smallest_eigenvalue(K) < -1e-3
    rng = np.random.default_rng(0)
    same = Gaussians(rng.normal(size=(20, 2)), np.tile(np.diag([0.1, 3.0]), (20, 1, 1)))
    k = make_kernel("relaxed_mu", mean_distance=mean_distance, sigma=sigma)
    assert smallest_eigenvalue(k(same)) >= -1e-12


@pytest.mark.parametrize("mean_distance", ["root_jeffreys", "root_bhattacharyya"])
def test_the_triangle_inequality_that_the_roots_break(mean_distance):
    """Section 5 calls them metrics."""
    k = make_kernel("relaxed_mu", mean_distance=mean_distance, sigma=1)
    far = -k.log_affinity(normals((-17, 0.01), (0, 300), (17, 0.01)))
    assert far[0, 2] > far[0, 1] + far[1, 2]


def spokes(number, width):
    """Covariances in two dimensions that are narrow across as many directions, and two that are round."""
    angles = np.arange(number) * np.pi / number
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    S = np.concatenate([width * np.eye(2) + along[:, :, None] * along[:, None, :], [np.eye(2), 0.01 * np.eye(2)]])
    return Gaussians(np.zeros((len(S), 2)), S)


def test_the_bhattacharyya_kernel_of_covariances():
    """In one dimension for every sigma; in two for sigma up to 1 and not beyond."""
    for sigma in (0.3, 1, 100):
        assert smallest_eigenvalue(make_kernel("relaxed_sigma", sigma=sigma)(ONE_MEAN)) >= -1e-12
    smallest = {s: smallest_eigenvalue(make_kernel("relaxed_sigma", sigma=s)(spokes(32, 1e-4))) for s in (0.5, 1, 2, 4)}
    assert smallest[0.5] >= -1e-12
    assert smallest[1] >= -1e-12
    assert smallest[2] < -1e-3
    assert smallest[4] < -1e-3
    assert [make_kernel("relaxed_sigma", sigma=s).is_psd for s in (1, 2, "auto")] == [True, False, False]


@pytest.mark.parametrize("sigma", [0.3, 1, 10, 100])
def test_the_jeffreys_kernel_of_covariances(sigma):
    """For no sigma: of variances e^x it is exp(-(cosh(x - y) - 1) / sigma), whose spectrum changes sign."""
    variances = normals(*((0, v) for v in np.exp(np.linspace(-3, 3, 61))))
    k = make_kernel("relaxed_sigma", covariance_distance="jeffreys", sigma=sigma)
    assert smallest_eigenvalue(k(variances)) < -1e-4
    assert not k.is_psd


@pytest.mark.parametrize(("means", "covariances"), list(itertools.product(MEAN_DISTANCES, COVARIANCE_DISTANCES)))
def test_the_product_kernel(means, covariances):
    def k(sigma):
        return make_kernel("relaxed_product", mean_distance=means, covariance_distance=covariances, sigma=sigma)

    five = normals((20, 100), (20, 0.01), (-20, 0.1), (1, 100), (1, 0.01))
    three, sigma = (normals((0, 0.25), (0, 1), (0, 4)), 10) if covariances == "jeffreys" else (five, 100)
    assert smallest_eigenvalue(k(sigma)(three)) < -0.01
    assert not k(sigma).is_psd
    assert k(1).is_psd == (means == covariances == "bhattacharyya")


def test_the_product_kernel_that_holds():
    """Both of Bhattacharyya with sigma = 1 make rho, though K_mu itself is no kernel."""
    k = make_kernel("relaxed_product", covariance_distance="bhattacharyya", sigma=1)
    given = normals(*((m, v) for m in (-17, -1, 0, 3, 17) for v in (0.01, 1, 100)))
    assert smallest_eigenvalue(k(given)) >= -1e-12
    rng = np.random.default_rng(0)
    assert smallest_eigenvalue(k(Gaussians(rng.normal(size=(34, 2)), spokes(32, 1e-4).covariances))) >= -1e-12


def test_the_relaxed_hellinger_kernel_holds():
    given = normals(*((m, v) for m in (-17, -1, 0, 3, 17) for v in (0.01, 1, 100)))
    for sigma in (0.01, 1, 100):
        assert smallest_eigenvalue(make_kernel("relaxed_h", sigma=sigma)(given)) >= -1e-12


def test_a_negative_order_of_normalisation():
    """K^t with t < 0 is not a kernel; the registry takes no such order."""
    X = np.random.default_rng(0).random((6, 2)) * [[1], [10], [1], [10], [1], [0.1]]
    K = X @ X.T
    d = np.diag(K)
    harmonic = ((d[:, None] ** -1.0 + d[None, :] ** -1.0) / 2) ** -1
    assert smallest_eigenvalue(K / harmonic) < -1e-3
    with pytest.raises(ValueError, match="order = -1 is out of range"):
        make_kernel("normalized", order=-1)


@pytest.mark.parametrize(("name", "holds"), [("jt2", False), ("jt3", False), ("nlin", False), ("expjt2", True)])
def test_the_distance_weighting_of_eq_17(name, holds):
    """V^(1 - lambda), elementwise, with the paper's 0.92: kept for expjt2, whose power is one again, else lost."""
    worst = 1.0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = rng.random((rng.integers(3, 20), rng.integers(1, 4))) ** rng.integers(1, 8)
        X[rng.random(X.shape) < 0.3] = 0
        X[0] = 1
        worst = min(worst, smallest_eigenvalue(np.maximum(make_kernel(name)(X), 0) ** 0.92))
    assert worst >= -1e-12 if holds else worst < -1e-5


def test_the_cut_off_of_paper_001():
    """R^lambda, cut off at r = 1.5, has clearly negative eigenvalues: never assume a definite M."""
    places = np.argwhere(np.ones((12, 12)))
    log_M = weight_by_distance(np.zeros((144, 144)), places.astype(float), 0.008, radius=1.5)
    assert smallest_eigenvalue(np.exp(log_M)) < -0.2


def test_the_triangle_inequality_that_d_jr_breaks():
    k = make_kernel("relaxed_jr", sigma=1)
    far = -k.log_affinity(normals((0, 1), (10, 9), (20, 1)))
    assert far[0, 2] > far[0, 1] + far[1, 2]


def test_the_triangle_inequality_that_d_br_breaks():
    """By a wide Gaussian between two narrow ones."""
    far = -make_kernel("relaxed_br", sigma=1).log_affinity(normals((-17, 0.01), (0, 300), (17, 0.01)))
    assert far[0, 2] > 5 * (far[0, 1] + far[1, 2])
