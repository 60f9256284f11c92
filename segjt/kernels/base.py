"""What every kernel has in common: vectors in, similarity out."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from segjt.fields import check_fields, described, fields_of
from segjt.runtime.arrays import Floats, Indices

if TYPE_CHECKING:
    from segjt.kernels.feature_maps import FeatureMap
    from segjt.kernels.gaussians import Gaussians

# What kernels compare: rows, or Gaussians for those that take them.
Points: TypeAlias = "ArrayLike | Gaussians"

# exp of anything larger is infinite in float64.
LARGEST_EXPONENT = 709.0
# Sums of a probability vector may be off by this much: division and float32 leave round-off.
SUM_TOLERANCE = 1e-5

# The papers, under the names that docstrings and comments use.
PAPERS = {
    "paper 000": "Paper 000: Ghoshdastidar, Adsul, Dukkipati: Learning with Jensen-Tsallis Kernels, IEEE TNNLS 2016.",
    "paper 001": "Paper 001: Ghoshdastidar, Dukkipati, Adsul, Vijayan: Spectral Clustering with Jensen-type kernels "
    "and their multi-point extensions, CVPR 2014.",
    "paper 002": "Paper 002: Ah-Pine: Normalized kernels as similarity indices, PAKDD 2010.",
    "paper 003": "Paper 003: Martins, Figueiredo, Aguiar, Smith, Xing: Nonextensive Entropic Kernels, ICML 2008.",
    "paper 004": "Paper 004: Abou-Moustafa, Shah, De La Torre, Ferrie: Relaxed Exponential Kernels for Unsupervised "
    "Learning, DAGM 2011.",
}

# The domains of the kernels; `check_rows` holds rows to them.
REAL = "any real vectors"
NONNEGATIVE = "non-negative vectors, scaled to [0, 1]"
MEASURES = "measures: non-negative vectors, such as histogram counts"
POSITIVE_MEASURES = "measures that are not all 0"
DISTRIBUTIONS = "probability vectors: non-negative rows that sum to 1"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Similarity of the rows of X, or of X and Y.

    A kernel is a frozen dataclass of its parameters, so it can be compared, pickled, cloned and
    handed to scikit-learn, as in ``SVC(kernel=make_kernel("jt2"))``.

    Subclasses define `log_gram` (where values span many powers of ten) or `gram`; each is derived
    from the other here. `gram` returns a new array, which may be overwritten. Kernels that look at a
    whole set of points, such as the multi-point ones, look at the rows of Y, so that new points X can be
    compared with old points Y. `segjt.kernels.register_kernel` makes a subclass known by its name.
    """

    name: ClassVar[str]
    domain: ClassVar[str] = REAL
    positive_semidefinite: ClassVar[str] = "yes, everywhere"
    # Whether k(x, x) is 1 for every x.
    unit_diagonal: ClassVar[bool] = False
    # Whether `Gaussians` can stand in for rows.
    takes_gaussians: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Append what a kernel declares to its docstring: parameters, domain, positive semi-definiteness."""
        super().__init_subclass__(**options)
        if "name" in vars(cls):
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n{declarations(cls)}"

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def is_psd(self) -> bool:
        """Whether the Gram matrix is positive semi-definite for all rows in the domain, with these parameters."""
        return True

    @property
    def logarithmic(self) -> bool:
        """Whether the kernel is computed in logarithms, which do not overflow."""
        return type(self).log_gram is not Kernel.log_gram

    def __call__(self, X: Points, Y: Points | None = None) -> Floats:
        """Return the Gram matrix of the rows of X (and Y).

        For an n-point kernel it is the flattened V / N^(n-1) of eq. 12, whose n - 1 summed points run
        over the rows of Y (of X if Y is not given), so that new points can be compared with old.
        """
        return self.finite(self.gram(*self.check_pair(X, Y)))

    def affinity(self, X: Points) -> Floats:
        """Return what spectral methods use: the Gram matrix, or V / N^(n-1) for n points.

        Where the exponential kernels would overflow it is divided by its largest entry: spectral methods do not
        see a common factor.
        """
        rows = self.check_rows(X)
        if not self.logarithmic:
            return self.finite(self.gram(rows, rows))
        log_affinity = self.log_gram(rows, rows)
        largest = log_affinity.max(initial=-np.inf)
        if largest > LARGEST_EXPONENT:
            log_affinity = log_affinity - largest
        return np.exp(log_affinity)

    def log_affinity(self, X: Points, Y: Points | None = None) -> Floats:
        """Return the logarithm of the affinity of the rows of X (and Y); -inf where it is 0."""
        return self.log_gram(*self.check_pair(X, Y))

    def log_affinity_of_pairs(self, X: Points, first: Indices, second: Indices) -> Floats:
        """Return ``log_affinity(X)[first, second]``, the affinity of given pairs of rows; most kernels need no others.

        Differs from the entries of all pairs by round-off only, and for multi-point kernels by 1e-11 of the largest.
        """
        return self.log_pairs(self.check_rows(X), first, second)

    def feature_map(self, Y: Floats) -> FeatureMap | None:
        """Return u with k(x, z) = u(x) . u(z) if there is such a map to vectors, prepared for checked rows like Y.

        Kernels that look at a whole set of points look at the rows of Y.
        """
        return None

    def gram(self, X: Floats, Y: Floats) -> Floats:
        """Return the similarity of checked rows."""
        check_defined(type(self))
        with np.errstate(over="ignore"):
            return np.exp(self.log_gram(X, Y))

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        """Return the logarithm of the similarity of checked rows."""
        check_defined(type(self))
        gram = np.asarray(self.gram(X, Y), dtype=np.float64)
        if not gram.flags.writeable or any(np.may_share_memory(gram, rows) for rows in (X, Y)):
            gram = gram.copy()
        return self.take_logarithm(gram)

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        """Return the logarithm of the similarity of given pairs of checked rows; here from that of all pairs."""
        return self.log_gram(X, X)[first, second]

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        """Return ln k(x, x) of each checked row of X; multi-point kernels draw the other points from Y."""
        if self.unit_diagonal:
            return np.zeros(len(X))
        return np.array([self.log_gram(row[None], row[None]).item() for row in X])

    def finite(self, gram: Floats) -> Floats:
        """Return similarities that are all finite, or raise an error."""
        if not np.isfinite(gram).all():
            way_out = ", or use affinity(X), which is free of the common factor" if self.logarithmic else ""
            raise ValueError(
                f"{self} overflows float64 on these rows; use smaller parameters, scale the data down{way_out}"
            )
        return gram

    def logarithm(self, gram: Floats) -> Floats:
        """Return the logarithm of similarities, or raise an error if one is negative or not finite."""
        return self.take_logarithm(gram.copy())

    def take_logarithm(self, gram: Floats) -> Floats:
        """Overwrite similarities by their logarithm, or raise an error if one is negative or not finite."""
        lowest, highest = gram.min(), gram.max()
        if not (np.isfinite(lowest) and np.isfinite(highest)):
            self.finite(gram)
        if lowest < -1e-10 * max(highest, -lowest):
            raise ValueError(
                f"{self} is {lowest:g} for some pair of these rows, and an affinity cannot be negative; "
                "scale the data to [0, 1] or choose another kernel"
            )
        if lowest < 0:  # round-off may leave -1e-17 where the exact value is 0 (errata 2.8)
            np.maximum(gram, 0.0, out=gram)
        with np.errstate(divide="ignore"):
            return np.log(gram, out=gram)

    def check_pair(self, X: Points, Y: Points | None) -> tuple[Floats, Floats]:
        """Return X and Y as checked rows with the same features; Y is X if it is not given."""
        first = self.check_rows(X)
        second = first if Y is None or Y is X else self.check_rows(Y, "Y")
        if first.shape[1] != second.shape[1]:
            raise ValueError(f"X has {first.shape[1]} columns and Y has {second.shape[1]}; both need the same features")
        return first, second

    def check_rows(self, X: Points, name: str = "X") -> Floats:
        """Return points as float64 rows in the kernel's domain, or raise an error that says what is wrong with them.

        Parameters
        ----------
        X : array_like or Gaussians
            The points.
        name : str
            What the error calls them.
        """
        if hasattr(X, "toarray"):
            raise TypeError(f"{name} is a sparse matrix, and the kernels take dense rows; use {name}.toarray()")
        rows = np.asarray(X)
        if rows.ndim != 2:
            raise ValueError(
                f"{name} has shape {rows.shape}; give one row per point, (points, features), "
                f"for instance {name}.reshape(-1, 1)"
            )
        if 0 in rows.shape:
            raise ValueError(
                f"{name} has shape {rows.shape}; give at least one {'row' if len(rows) == 0 else 'feature'}"
            )
        if rows.dtype.kind not in "buif":
            raise TypeError(f"{name} has dtype {rows.dtype}; give real numbers")
        rows = rows.astype(np.float64, copy=False)
        if not np.isfinite(rows).all():
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(rows))[0])
            raise ValueError(f"{name}[{where[0]}, {where[1]}] is {rows[where]}; remove or fill such rows first")
        if self.domain != REAL:
            self.check_measures(rows, name)
        return rows

    def check_measures(self, rows: Floats, name: str) -> None:
        """Raise an error that names the first value or row outside of a domain of measures."""
        if rows.min() < 0:
            where = tuple(int(i) for i in np.unravel_index(rows.argmin(), rows.shape))
            raise ValueError(
                f"{name}[{where[0]}, {where[1]}] is {rows[where]:g}, and {self.name} takes no negative values; "
                "scale each column to [0, 1] first (sklearn.preprocessing.MinMaxScaler)"
            )
        sums = rows.sum(1)
        if self.domain == POSITIVE_MEASURES and sums.min() <= 0:
            raise ValueError(
                f"row {sums.argmin()} of {name} is all 0, and {self.name} divides by the sum of a row; "
                "leave such rows out, or use weighted_jt, which takes them"
            )
        if self.domain == DISTRIBUTIONS and np.abs(sums - 1).max() > SUM_TOLERANCE:
            row = int(np.abs(sums - 1).argmax())
            raise ValueError(
                f"row {row} of {name} sums to {sums[row]:g}, and {self.name} compares probability vectors, "
                f"whose sum is 1; divide each row by its sum, {name} / {name}.sum(1, keepdims=True), "
                "or use weighted_jt or weighted_expjs, which take unnormalised measures"
            )

    def innermost(self) -> Kernel:
        """Return the kernel that sees the rows: itself, or the innermost kernel of a composite."""
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name, so that ``make_kernel(k.name, **k.parameters())`` is ``k``."""
        return {name: getattr(self, name) for name in fields_of(self)}


def check_defined(kernel: type[Kernel]) -> None:
    """Raise a TypeError if a class defines neither `gram` nor `log_gram`, each of which is derived from the other."""
    if kernel.gram is Kernel.gram and kernel.log_gram is Kernel.log_gram:
        raise TypeError(f"{kernel.__name__} has no similarity to compute; define {kernel.__name__}.gram or .log_gram")


def declarations(kernel: type[Kernel]) -> str:
    """Return the sections of a kernel's docstring that follow from its class attributes and fields."""
    # The class is not a dataclass yet, so its own fields are still among its attributes.
    fields: dict[str, Any] = {}
    for part in reversed(kernel.__mro__):
        fields |= vars(part).get("__dataclass_fields__", vars(part))
    declared = {
        name: (field.default, field.metadata["field"])
        for name, field in fields.items()
        if isinstance(field, dataclasses.Field) and "field" in field.metadata
    }
    lines = described(declared)
    if issubclass(kernel, Composite):
        lines.insert(0, "kernel : Kernel or str\n    the kernel it is made of, or its name")
    parameters = ["Parameters", "----------", *lines, ""] if lines else []
    notes = [f"Domain: {kernel.domain}.", "", f"Positive semi-definite: {kernel.positive_semidefinite}.", ""]
    papers = [title for paper, title in PAPERS.items() if paper in (kernel.__doc__ or "")]
    return "\n".join([*parameters, "Notes", "-----", *notes, "References", "----------", *papers])


@dataclasses.dataclass(frozen=True)
class Composite(Kernel):
    """A kernel made of another one, its base, which is given as a kernel or by its name."""

    domain = "that of the base kernel"

    kernel: Kernel | str = "jt2"

    def __post_init__(self) -> None:
        from segjt.kernels.registry import make_kernel

        if isinstance(self.kernel, str):
            object.__setattr__(self, "kernel", make_kernel(self.kernel))
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f"kernel = {self.kernel!r} is not a kernel; give a name or what make_kernel returns")
        super().__post_init__()

    @property
    def base(self) -> Kernel:
        """The base kernel."""
        assert isinstance(self.kernel, Kernel)
        return self.kernel

    def base_gram(self, X: Floats, Y: Floats) -> Floats:
        """Return the base kernel's similarity of checked rows, or raise an error if it overflows."""
        return self.finite(self.base.gram(X, Y))

    def innermost(self) -> Kernel:
        return self.base.innermost()

    def check_rows(self, X: Points, name: str = "X") -> Floats:
        return self.base.check_rows(X, name)

    def parameters(self) -> dict[str, Any]:
        if isinstance(self.base, Composite):
            return {"kernel": self.base} | super().parameters()
        return {"kernel": self.base.name} | self.base.parameters() | super().parameters()
