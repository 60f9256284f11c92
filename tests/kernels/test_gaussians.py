import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.stats

from segjt.kernels import gaussians
from segjt.kernels.gaussians import (
    COVARIANCE_DISTANCES,
    MEAN_DISTANCES,
    Gaussians,
    bhattacharyya,
    bhattacharyya_riemannian,
    distances,
    hellinger,
    jeffreys,
    jeffreys_riemannian,
    local_gaussians,
    riemannian,
)

MEANS = ["point", "neighbourhood"]


def plain_jeffreys(m1, S1, m2, S2):
    u, P1, P2 = m1 - m2, np.linalg.inv(S1), np.linalg.inv(S2)
    return 0.5 * u @ (P1 + P2) @ u + 0.5 * np.trace(P1 @ S2 + P2 @ S1) - len(u)


def plain_bhattacharyya(m1, S1, m2, S2):
    u, middle = m1 - m2, (S1 + S2) / 2
    log_det = [np.linalg.slogdet(S)[1] for S in (middle, S1, S2)]
    return u @ np.linalg.inv(middle) @ u / 8 + 0.5 * (log_det[0] - 0.5 * log_det[1] - 0.5 * log_det[2])


def plain_hellinger(m1, S1, m2, S2):
    return np.sqrt(max(0.0, 2 * (1 - np.exp(-plain_bhattacharyya(m1, S1, m2, S2)))))


def plain_riemannian(m1, S1, m2, S2):
    return np.sqrt(np.sum(np.log(scipy.linalg.eigh(S1, S2, eigvals_only=True)) ** 2))


def plain_jeffreys_riemannian(m1, S1, m2, S2):
    u = m1 - m2
    return np.sqrt(u @ (np.linalg.inv(S1) + np.linalg.inv(S2)) @ u) + plain_riemannian(m1, S1, m2, S2)


def plain_bhattacharyya_riemannian(m1, S1, m2, S2):
    u = m1 - m2
    return np.sqrt(u @ np.linalg.inv((S1 + S2) / 2) @ u) + plain_riemannian(m1, S1, m2, S2)


def plain_parts(m1, S1, m2, S2):
    """d_mu and d_Sigma of eq. 12, 13 and 16 as they should read, and the roots of section 5, by loops over features."""
    p = len(m1)
    P1, P2 = (np.linalg.inv(S) for S in (S1, S2))
    middle = np.linalg.inv((S1 + S2) / 2)
    psi = sum((m1 - m2)[i] * (P1 + P2)[i, j] * (m1 - m2)[j] for i in range(p) for j in range(p))
    gamma = sum((m1 - m2)[i] * middle[i, j] * (m1 - m2)[j] for i in range(p) for j in range(p))
    trace = sum(P1[i, j] * S2[j, i] + P2[i, j] * S1[j, i] for i in range(p) for j in range(p))
    ratio = np.linalg.det((S1 + S2) / 2) / np.sqrt(np.linalg.det(S1) * np.linalg.det(S2))
    of_means = {
        "jeffreys": psi / 2,
        "bhattacharyya": gamma / 8,
        "root_jeffreys": np.sqrt(psi),
        "root_bhattacharyya": np.sqrt(gamma),
    }
    of_covariances = {
        "jeffreys": trace / 2 - p,
        "bhattacharyya": np.log(ratio) / 2,
        "riemannian": plain_riemannian(m1, S1, m2, S2),
    }
    return of_means, of_covariances


PLAIN = {
    jeffreys: plain_jeffreys,
    bhattacharyya: plain_bhattacharyya,
    hellinger: plain_hellinger,
    riemannian: plain_riemannian,
    jeffreys_riemannian: plain_jeffreys_riemannian,
    bhattacharyya_riemannian: plain_bhattacharyya_riemannian,
}
every_distance = pytest.mark.parametrize("distance", PLAIN, ids=lambda f: f.__name__)


def all_pairs(plain, A, B):
    return np.array(
        [
            [plain(A.means[i], A.covariances[i], B.means[j], B.covariances[j]) for j in range(len(B))]
            for i in range(len(A))
        ]
    )


def plain_local_gaussian(x, Y, m, gamma, mean):
    """Eq. 1, or eq. 2 and 3, as printed."""
    distances = [sum((x - y) ** 2) for y in Y]
    order = sorted(range(len(Y)), key=lambda j: distances[j])
    if order and distances[order[0]] == 0:
        order = order[1:]
    near = [Y[j] for j in order[:m]]
    if mean == "point":
        centre, divisor = x, max(len(near) - 1, 1)
    else:
        near = [x, *near]
        centre, divisor = sum(near) / len(near), max(len(near) - 1, 1)
    covariance = gamma * np.eye(len(x))
    for y in near:
        covariance += np.outer(y - centre, y - centre) / divisor
    return centre, covariance


def random_gaussians(seed=0, N=6, p=3):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(N, p, p + 2))
    return Gaussians(rng.normal(size=(N, p)), M @ M.transpose(0, 2, 1) / p)


def data(kind):
    rng = np.random.default_rng(7)
    if kind == "duplicates":
        return np.repeat(rng.integers(0, 3, (4, 3)), 3, axis=0) / 2
    if kind == "grid":
        return np.stack(np.meshgrid([0.0, 1, 2], [0.0, 1, 2]), axis=2).reshape(9, 2)
    if kind == "constant":
        return np.full((5, 2), 0.3)
    if kind == "one row":
        return rng.random((1, 3))
    if kind == "one feature":
        return rng.random((8, 1))
    if kind == "many features":
        return rng.normal(size=(12, 30))
    return rng.normal(size=(9, 3))


KINDS = ["random", "duplicates", "grid", "constant", "one row", "one feature", "many features"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [1, 2, 5, 50])
@pytest.mark.parametrize("mean", MEANS)
def test_local_gaussians_as_printed(kind, m, mean):
    Y = data(kind)
    X = np.vstack([Y, Y[:2] + 0.01])
    local = local_gaussians(X, Y, m, 0.1, mean)
    assert local.shape == X.shape
    assert local.covariances.shape == (len(X), X.shape[1], X.shape[1])
    for i, x in enumerate(X):
        centre, covariance = plain_local_gaussian(x, Y, m, 0.1, mean)
        np.testing.assert_allclose(local.means[i], centre, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(local.covariances[i], covariance, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mean", MEANS)
def test_local_gaussians_of_a_part(kind, mean, monkeypatch):
    Y = data(kind)
    whole = local_gaussians(Y, Y, 3, 0.1, mean)
    part = local_gaussians(Y[2:5], Y, 3, 0.1, mean)
    np.testing.assert_array_equal(part.means, whole[2:5].means)
    np.testing.assert_array_equal(part.covariances, whole[2:5].covariances)
    monkeypatch.setattr(gaussians, "CHUNK", 40)
    np.testing.assert_array_equal(local_gaussians(Y, Y, 3, 0.1, mean).covariances, whole.covariances)


@pytest.mark.parametrize("mean", MEANS)
def test_a_point_alone(mean):
    X = np.array([[1.0, 2.0]])
    local = local_gaussians(X, X, 3, 0.5, mean)
    assert local.means.tolist() == [[1, 2]]
    assert local.covariances.tolist() == [[[0.5, 0], [0, 0.5]]]


def test_only_one_equal_row_is_left_out():
    Y = np.array([[0.0], [0.0], [0.0], [1.0]])
    # Both other zeros are nearer than 1.
    assert local_gaussians(Y, Y, 2, 0.5, "point").covariances[0] == 0.5
    assert local_gaussians(Y, Y, 3, 0.5, "point").covariances[0] == 0.5 + 1 / 2


@pytest.mark.parametrize("mean", MEANS)
def test_local_gaussians_far_from_the_origin(mean):
    # Multiples of 1/16 up to 1e9 are exact, so neighbours and covariances have to be the same.
    Y = np.random.default_rng(0).integers(0, 64, (40, 3)) / 16
    near, far = local_gaussians(Y, Y, 7, 0.1, mean), local_gaussians(Y + 1e9, Y + 1e9, 7, 0.1, mean)
    np.testing.assert_allclose(far.covariances, near.covariances, rtol=1e-13, atol=1e-13)


def test_local_gaussians_leaves_its_input_alone():
    X = data("random")
    before = X.copy()
    local_gaussians(X, X, 3, 0.1, "neighbourhood")
    np.testing.assert_array_equal(X, before)


def test_unknown_mean():
    with pytest.raises(ValueError, match="neighbourhood"):
        local_gaussians(np.ones((2, 2)), np.ones((2, 2)), 1, 1.0, "median")


def test_parts_of_gaussians():
    A = random_gaussians(N=6)
    assert len(A) == 6
    assert A.shape == (6, 3)
    np.testing.assert_array_equal(A[1:3].covariances, A.covariances[1:3])
    np.testing.assert_array_equal(A[np.array([4, 0])].means, A.means[[4, 0]])


@every_distance
@pytest.mark.parametrize("p", [1, 3, 30])
def test_distances_as_printed(distance, p):
    A, B = random_gaussians(0, 5, p), random_gaussians(1, 3, p)
    for first, second in ((A, B), (B, A), (A, A)):
        expected = all_pairs(PLAIN[distance], first, second)
        np.testing.assert_allclose(distance(first, second), expected, rtol=1e-9, atol=1e-6)
    expected = all_pairs(PLAIN[distance], A, B)
    np.testing.assert_allclose(distance(A, B), expected, rtol=1e-9)


@pytest.mark.parametrize("p", [1, 3, 7])
@pytest.mark.parametrize("of_means", [None, *MEAN_DISTANCES])
@pytest.mark.parametrize("of_covariances", [None, *COVARIANCE_DISTANCES])
def test_parts_of_distances_as_they_should_read(p, of_means, of_covariances):
    def plain(*pair):
        means, covariances = plain_parts(*pair)
        return means.get(of_means, 0.0) + covariances.get(of_covariances, 0.0)

    A, B = random_gaussians(0, 5, p), random_gaussians(1, 3, p)
    for first, second in ((A, B), (B, A)):
        computed = distances(first, second, of_means, of_covariances)
        np.testing.assert_allclose(computed, all_pairs(plain, first, second), rtol=1e-9, atol=1e-15)


def test_a_part_sees_means_or_covariances_alone():
    A = random_gaussians(N=5)
    same_means = Gaussians(np.zeros_like(A.means), A.covariances)
    same_covariances = Gaussians(A.means, np.tile(A.covariances[0], (5, 1, 1)))
    for part in MEAN_DISTANCES:
        assert (distances(same_means, same_means, part) == 0).all()
    for part in COVARIANCE_DISTANCES:
        far = distances(A, A, of_covariances=part)
        np.testing.assert_array_equal(distances(same_means, same_means, of_covariances=part), far)
        np.testing.assert_allclose(distances(same_covariances, same_covariances, of_covariances=part), 0, atol=1e-12)
    assert (distances(A, A) == 0).all()


@every_distance
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mean", MEANS)
def test_distances_of_local_gaussians(distance, kind, mean):
    X = data(kind)
    A = local_gaussians(X, X, 4, 0.1, mean)
    distances = distance(A, A)
    np.testing.assert_allclose(distances, all_pairs(PLAIN[distance], A, A), rtol=1e-8, atol=2e-6)
    np.testing.assert_array_equal(distances, distances.T)
    assert (distances.diagonal() == 0).all()
    assert (distances >= 0).all()


@every_distance
def test_equal_gaussians_are_at_distance_zero(distance):
    A = random_gaussians(N=4, p=5)
    copy = Gaussians(A.means.copy(), A.covariances.copy())
    assert (np.abs(distance(A, copy).diagonal()) < 1e-12).all()


@every_distance
@pytest.mark.parametrize("p", [1, 3, 30])
def test_part_of_the_distances(distance, p):
    A = random_gaussians(2, 7, p)
    np.testing.assert_allclose(distance(A[2:5], A), distance(A, A)[2:5], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(distance(A, A[2:5]), distance(A, A)[:, 2:5], rtol=1e-10, atol=1e-11)


@every_distance
@pytest.mark.parametrize("p", [1, 3, 30])
def test_chunks_do_not_matter(distance, p, monkeypatch):
    A, B = random_gaussians(3, 12, p), random_gaussians(4, 14, p)
    whole = distance(A, A), distance(A, B)
    monkeypatch.setattr(gaussians, "CHUNK", 3 * p * p)
    for in_chunks, expected in zip((distance(A, A), distance(A, B)), whole, strict=True):
        np.testing.assert_allclose(in_chunks, expected, rtol=1e-12)


@pytest.mark.parametrize(("m1", "v1", "m2", "v2"), [(0, 1, 1, 1), (0, 1, 0, 9), (-1, 0.3, 2, 2), (0, 0.01, 0.2, 0.5)])
def test_bhattacharyya_integral(m1, v1, m2, v2):
    first, second = scipy.stats.norm(m1, np.sqrt(v1)), scipy.stats.norm(m2, np.sqrt(v2))
    rho, _ = scipy.integrate.quad(
        lambda x: np.sqrt(first.pdf(x) * second.pdf(x)), -30, 30, points=[m1, m2], limit=500, epsabs=1e-13
    )
    A, B = (Gaussians(np.array([[float(m)]]), np.array([[[float(v)]]])) for m, v in ((m1, v1), (m2, v2)))
    assert bhattacharyya(A, B)[0, 0] == pytest.approx(-np.log(rho), abs=1e-9)
    assert hellinger(A, B)[0, 0] == pytest.approx(np.sqrt(2 * (1 - rho)), abs=1e-9)


@pytest.mark.parametrize(("m1", "v1", "m2", "v2"), [(0, 1, 1, 1), (0, 1, 0, 9), (-1, 0.3, 2, 2)])
def test_jeffreys_integral(m1, v1, m2, v2):
    first, second = scipy.stats.norm(m1, np.sqrt(v1)), scipy.stats.norm(m2, np.sqrt(v2))
    expected, _ = scipy.integrate.quad(
        lambda x: (first.pdf(x) - second.pdf(x)) * (first.logpdf(x) - second.logpdf(x)), -40, 40, points=[m1, m2]
    )
    A, B = (Gaussians(np.array([[float(m)]]), np.array([[[float(v)]]])) for m, v in ((m1, v1), (m2, v2)))
    assert jeffreys(A, B)[0, 0] == pytest.approx(expected, rel=1e-6)


def test_riemannian_is_the_norm_of_the_logarithm():
    A = random_gaussians(N=2, p=4)
    root = np.linalg.inv(scipy.linalg.sqrtm(A.covariances[0]).real)
    expected = np.linalg.norm(scipy.linalg.logm(root @ A.covariances[1] @ root))
    assert riemannian(A, A)[0, 1] == pytest.approx(expected, rel=1e-10)


def test_riemannian_does_not_see_inversion_or_affine_maps():
    A = random_gaussians(N=5, p=4)
    expected = riemannian(A, A)
    inverted = Gaussians(A.means, np.linalg.inv(A.covariances))
    np.testing.assert_allclose(riemannian(inverted, inverted), expected, rtol=1e-9)
    T = np.random.default_rng(5).normal(size=(4, 4))
    mapped = Gaussians(A.means @ T.T + 3, T @ A.covariances @ T.T)
    for distance in PLAIN:
        np.testing.assert_allclose(distance(mapped, mapped), distance(A, A), rtol=1e-8)


@pytest.mark.parametrize("p", [1, 3])
def test_spheres_are_at_euclidean_distance(p):
    means = np.random.default_rng(0).normal(size=(6, p))
    A = Gaussians(means, np.tile(np.eye(p), (6, 1, 1)))
    euclidean = np.linalg.norm(means[:, None] - means, axis=2)
    np.testing.assert_allclose(bhattacharyya_riemannian(A, A), euclidean, rtol=1e-12)
    np.testing.assert_allclose(jeffreys_riemannian(A, A), np.sqrt(2) * euclidean, rtol=1e-12)
    np.testing.assert_allclose(jeffreys(A, A), euclidean**2, rtol=1e-12)
    np.testing.assert_allclose(bhattacharyya(A, A), euclidean**2 / 8, rtol=1e-12)
    assert (riemannian(A, A) == 0).all()


def test_equal_means_leave_the_riemannian_distance():
    A = Gaussians(np.ones((4, 3)), random_gaussians(N=4).covariances)
    np.testing.assert_allclose(jeffreys_riemannian(A, A), riemannian(A, A))
    np.testing.assert_allclose(bhattacharyya_riemannian(A, A), riemannian(A, A))


def test_jeffreys_riemannian_breaks_the_triangle_inequality():
    A = Gaussians(np.array([[0.0], [10], [20]]), np.array([[[1.0]], [[9]], [[1]]]))
    D = jeffreys_riemannian(A, A)
    assert D[0, 2] == pytest.approx(28.3, abs=0.05)
    assert D[0, 1] + D[1, 2] == pytest.approx(25.5, abs=0.05)


@every_distance
@pytest.mark.parametrize("mean", MEANS)
def test_large_offset(distance, mean):
    X = np.random.default_rng(0).normal(size=(20, 3))
    A, B = local_gaussians(X, X, 6, 0.1, mean), local_gaussians(X + 1e6, X + 1e6, 6, 0.1, mean)
    np.testing.assert_allclose(distance(B, B), distance(A, A), rtol=1e-6, atol=1e-6)


def exact_diagonals(distance, variances, means):
    """Distances of Gaussians with diagonal covariances, where p one-dimensional terms add up."""
    theta = np.log(variances[0] / variances[1])
    u2 = (means[0] - means[1]) ** 2
    psi, middle = np.sum(u2 * (1 / variances[0] + 1 / variances[1])), np.sum(u2 / variances.mean(0))
    d_b = middle / 8 + 0.5 * np.sum(np.log(np.cosh(theta / 2)))
    d_r = np.sqrt(np.sum(theta**2))
    return {
        jeffreys: 0.5 * psi + 2 * np.sum(np.sinh(theta / 2) ** 2),
        bhattacharyya: d_b,
        hellinger: np.sqrt(-2 * np.expm1(-d_b)),
        riemannian: d_r,
        jeffreys_riemannian: np.sqrt(psi) + d_r,
        bhattacharyya_riemannian: np.sqrt(middle) + d_r,
    }[distance]


@every_distance
def test_small_gamma(distance):
    # Turned together, so that the exact distances are those of the diagonal covariances.
    gamma = 1e-8
    variances = np.array([[1.0, 0.5, gamma, gamma, gamma], [gamma, gamma, 2.0, gamma, gamma]])
    means = np.array([[0.0, 1, 0, 0, 0], [1.0, 0, 0, 0, 1e-4]])
    T = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    A = Gaussians(means @ T.T, np.einsum("ij,nj,kj->nik", T, variances, T))
    assert distance(A, A)[0, 1] == pytest.approx(exact_diagonals(distance, variances, means), rel=1e-6)


@every_distance
@pytest.mark.parametrize("p", [3, 30])
def test_small_gamma_on_local_gaussians(distance, p):
    X = np.random.default_rng(1).normal(size=(15, p))
    A = local_gaussians(X, X, 2, 1e-8, "neighbourhood")
    copy = Gaussians(A.means.copy(), A.covariances.copy())
    distances = distance(A, A)
    assert np.isfinite(distances).all()
    np.testing.assert_allclose(distance(copy, A), distances, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(distance(A[::-1], A[::-1])[::-1, ::-1], distances, rtol=1e-6, atol=1e-6)


@every_distance
@pytest.mark.parametrize("worst", [np.zeros((2, 2)), np.diag([1.0, -1]), np.diag([1, 1e-16]), np.full((2, 2), np.nan)])
def test_a_covariance_that_is_not_positive_definite(distance, worst):
    A = Gaussians(np.zeros((3, 2)), np.array([np.eye(2), np.eye(2), worst]))
    with pytest.raises(ValueError, match=r"row 2 .*larger gamma"):
        distance(A, A)
    with pytest.raises(ValueError, match=r"row 2 .*larger gamma"):
        distance(A[:1], A)
