"""What every kernel has in common: vectors in, similarity out."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.knobs import check_knobs

Matrix = NDArray[np.float64]

# exp of anything larger is infinite in float64.
LARGEST_EXPONENT = 709.0


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Similarity of the rows of X, or of X and Y.

    A kernel is a frozen dataclass of its parameters, so it can be compared, pickled, cloned and
    handed to scikit-learn, as in ``SVC(kernel=make_kernel("jt2"))``.

    Subclasses define `log_gram` (where values span many powers of ten) or `gram`; each is derived
    from the other here.
    """

    name: ClassVar[str]
    domain: ClassVar[str] = "any real vectors"
    positive_semidefinite: ClassVar[str] = "everywhere"
    needs_nonnegative: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_knobs(self)

    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> Matrix:
        """Return the Gram matrix of the rows of X (and Y).

        For an n-point kernel it is the flattened V / N^(n-1) of eq. 12, whose n - 1 summed points run
        over the rows of Y (of X if Y is not given), so that new points can be compared with old.
        """
        first = self.check_rows(X)
        second = first if Y is None or Y is X else self.check_rows(Y)
        if first.shape[1] != second.shape[1]:
            raise ValueError(f"X has {first.shape[1]} columns and Y has {second.shape[1]}; both need the same features")
        gram = self.gram(first, second)
        if not np.isfinite(gram).all():
            raise ValueError(
                f"{self} overflows float64 on these {len(first)} rows; "
                "use smaller parameters, scale the data down, or use affinity(X), which is free of the common factor"
            )
        return gram

    def affinity(self, X: ArrayLike) -> Matrix:
        """Return what spectral methods use: the Gram matrix, or V / N^(n-1) for n points.

        Where that would overflow it is divided by its largest entry: spectral methods do not see a
        common factor.
        """
        rows = self.check_rows(X)
        if type(self).log_gram is Kernel.log_gram:
            return self.gram(rows, rows)
        log_affinity = self.log_gram(rows, rows)
        largest = log_affinity.max(initial=-np.inf)
        if largest > LARGEST_EXPONENT:
            log_affinity = log_affinity - largest
        return np.exp(log_affinity)

    def log_affinity(self, X: ArrayLike) -> Matrix:
        """Return the logarithm of the affinity; -inf where it is 0."""
        rows = self.check_rows(X)
        return self.log_gram(rows, rows)

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """Return the similarity of checked rows."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_gram(X, Y))

    def log_gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """Return the logarithm of the similarity of checked rows."""
        gram = self.gram(X, Y)
        if gram.min() < -1e-10 * np.abs(gram).max():
            raise ValueError(
                f"{self} is {gram.min():g} for some pair of these rows, and an affinity cannot be negative; "
                "scale the data to [0, 1] or choose another kernel"
            )
        # Round-off may leave -1e-17 where the exact value is 0 (errata 2.8).
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(gram, 0.0))

    def check_rows(self, X: ArrayLike) -> Matrix:
        """Return X as float64 rows in the kernel's domain, or say what is wrong with it."""
        rows = np.asarray(X)
        if rows.ndim != 2:
            raise ValueError(
                f"X has shape {rows.shape}; give one row a point, (points, features), for instance X.reshape(-1, 1)"
            )
        if len(rows) == 0:
            raise ValueError(f"X has shape {rows.shape}; give at least one row")
        if rows.dtype.kind not in "buif":
            raise TypeError(f"X has dtype {rows.dtype}; give real numbers")
        rows = rows.astype(np.float64, copy=False)
        if not np.isfinite(rows).all():
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(rows))[0])
            raise ValueError(f"X[{where[0]}, {where[1]}] is {rows[where]}; remove or fill such rows first")
        if self.needs_nonnegative and rows.size and rows.min() < 0:
            where = tuple(int(i) for i in np.unravel_index(rows.argmin(), rows.shape))
            raise ValueError(
                f"X[{where[0]}, {where[1]}] is {rows[where]:g}, and {self.name} takes no negative values; "
                "scale each column to [0, 1] first (sklearn.preprocessing.MinMaxScaler)"
            )
        return rows

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
