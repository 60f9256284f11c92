"""Parameters: one frozen dataclass, the only list of settings."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segjt.fields import Field, check_fields, documented, field, fields_of, suggestion
from segjt.kernels.records import kernel_of_record, kernel_record, with_seed
from segjt.kernels.registry import COMPOSITES, default_base, kernel_class, kernel_names, make_kernel
from segjt.merging.registry import merge_affinity_names, merge_method_names

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel

# The fields that belong to the kernel. None means: the kernel's own default.
KERNEL_FIELDS = (
    *("q", "t", "sigma", "quantile", "n", "coefficient", "columns", "degree", "c", "neighbour", "tau"),
    *("order", "neighbours", "gamma", "mean", "mean_distance", "covariance_distance"),
)
# Where an image needs another default than vectors at large do: colours lie in [0, 1], and those of neighbours
# differ by some hundredths, so that a variance of 1 would drown them.
IMAGE_DEFAULTS = {"gamma": 1e-3}
# What `find` can be.
FINDS = ("auto", "object", "objects", "scene")
# Settings by name: what differs from the defaults.
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "fast": {"segments_per_block": 4},
    "paper": {"block_size": 16, "merge_method": "spectral", "bins": 8, "power": 16.0, "n_segments": 6},
}


def is_kernel(value: Any) -> bool:
    """Tell whether a value is a kernel, as `segjt.kernels.make_kernel` returns them; without imports for a name."""
    if isinstance(value, str):
        return False
    from segjt.kernels.base import Kernel

    return isinstance(value, Kernel)


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters:
    """Everything that can be set, checked when an instance is made.

    A kernel object, such as `segjt.kernels.make_kernel` returns, is spelled out as its name and parameters. Parameters
    of a registered kernel that have no field here are taken by `replace` and `from_dict`.

    Examples
    --------
    >>> from segjt import Parameters
    >>> Parameters(kernel="jt2", q=1.25).replace(block_size=32).block_size
    32
    """

    kernel: str | Kernel = field(
        "expjt2", "kernel that compares two pixels", str, words=kernel_names, accepts=is_kernel, accepted="Kernel"
    )
    base_kernel: str | Kernel | None = field(
        None,
        f"kernel that {', '.join(COMPOSITES)} are made of",
        str,
        words=lambda: [name for name in kernel_names() if name not in COMPOSITES],
        optional=True,
        accepts=is_kernel,
        accepted="Kernel",
    )
    q: float | None = field(None, "entropic index of the Jensen kernels, 0 to 2", float, optional=True)
    t: float | None = field(
        None, "factor in the exponent of the exponential Jensen kernels, above 0", float, optional=True
    )
    sigma: float | str | None = field(
        None,
        "width of the Gaussian, exponential and relaxed kernels, in units of colour from 0 to 1; "
        "auto (not for the Gaussian) takes a quantile of the distances",
        float,
        optional=True,
        words=lambda: ["auto"],
    )
    quantile: float | None = field(None, "which quantile sigma = auto takes, up to 1", float, optional=True)
    n: int | None = field(None, "number of points of the n-point kernels, 2 or more", int, optional=True)
    coefficient: str | None = field(
        None,
        "last coefficient in the closed form of nlin and npoint",
        str,
        words=lambda: ["exact", "published"],
        optional=True,
    )
    columns: int | None = field(None, "tuples that the sampled kernels draw", int, optional=True)
    degree: int | None = field(None, "degree of the polynomial kernel, 1 or more", int, optional=True)
    c: float | None = field(None, "constant of the polynomial kernel, 0 or more", float, optional=True)
    neighbour: int | None = field(
        None, "self_tuning: the width of a pixel is the distance to its k-th nearest", int, optional=True
    )
    tau: float | None = field(None, "time of the heat kernel, above 0", float, optional=True)
    order: float | str | None = field(
        None,
        "order of normalized, 0 or more: 0 is the cosine",
        float,
        optional=True,
        words=lambda: ["inf"],
    )
    neighbours: int | None = field(
        None,
        "relaxed kernels: how many neighbours in feature space make up a local Gaussian, 2 or more "
        "(features = neighbourhood takes the 8 around a pixel)",
        int,
        optional=True,
    )
    gamma: float | None = field(None, "relaxed kernels: variance added to a local Gaussian", float, optional=True)
    mean: str | None = field(
        None,
        "relaxed kernels: mean of a local Gaussian",
        str,
        words=lambda: ["neighbourhood", "point"],
        optional=True,
    )
    mean_distance: str | None = field(
        None,
        "relaxed_mu and relaxed_product: distance of the means of two Gaussians",
        str,
        words=lambda: ["jeffreys", "bhattacharyya", "root_jeffreys", "root_bhattacharyya"],
        optional=True,
    )
    covariance_distance: str | None = field(
        None,
        "relaxed_sigma and relaxed_product: distance of the covariances of two Gaussians",
        str,
        words=lambda: ["jeffreys", "bhattacharyya", "riemannian"],
        optional=True,
    )
    features: str = field(
        "auto",
        "what the kernel sees of a pixel; auto takes histograms for kernels on measures, "
        "the neighbourhood for relaxed kernels, the colour for others",
        str,
        words=lambda: ["auto", "colour", "colour_histogram", "texture", "neighbourhood"],
    )
    method: str = field(
        "blocks",
        "blocks (paper 000), or the whole image at once, reduced (paper 001)",
        str,
        words=lambda: ["blocks", "whole"],
    )
    working_size: int = field(
        80, "whole: longer side of the reduced image; the shorter has at most 3/4 of it", int, low=8
    )
    clusters: int = field(10, "whole: how many clusters the reduced image is cut into", int, low=1, high=200)
    whole_lambda: float = field(
        0.008, "whole: how much pixel distance counts (lambda of paper 001)", float, low=0, high=1
    )
    radius: float = field(5.0, "whole: pixels farther apart have no affinity (r of paper 001)", float, low=1)
    block_size: int = field(12, "largest side of a block, in pixels; 16 or 32 in the paper", int, low=4)
    segments_per_block: int = field(8, "how many segments a block is cut into, at most", int, low=1)
    distance_lambda: float = field(
        0.08, "how much pixel distance counts against colour (lambda of eq. 17)", float, low=0, high=1
    )
    distance_sigma: float = field(
        2.0, "range of the pixel distance, in pixels (sigma of eq. 17)", float, low=1e-3, high=1e6
    )
    bins: int = field(8, "ncut and spectral: bins of a segment's histogram, per channel", int, low=2, high=32)
    merge_affinity: str = field(
        "bhattacharyya",
        "ncut and spectral: how alike two neighbouring segments are: the Bhattacharyya coefficient of their histograms "
        "(papers 000, 001), or the weighted Jensen-Tsallis kernel (003) of the two, or of the two and each of their "
        "common neighbours",
        str,
        words=merge_affinity_names,
    )
    power: float = field(
        12.0,
        "ncut and spectral: power of that affinity; 4 to 32 in the paper",
        float,
        low=1e-3,
        high=1000,
    )
    n_segments: int | str = field(
        "auto",
        "number of segments of the result; auto chooses it, by what find looks for",
        int,
        low=1,
        high=2**31 - 1,
        words=lambda: ["auto"],
    )
    find: str = field(
        "auto",
        "what n_segments = auto looks for: one object, many objects of a kind, or all of a scene; "
        "auto takes many objects if it is sure of them, else one",
        str,
        words=lambda: FINDS,
    )
    merge_method: str = field(
        "cues",
        "how the small segments are merged: by cues of colour, edges and figure, or as papers 001 and 000 do",
        str,
        words=merge_method_names,
    )
    outline_sweeps: int = field(
        3, "cues: how often pixels along outlines may move to the side whose colours fit; 0 keeps outlines", int, low=0
    )
    workers: int | None = field(
        None, "threads; the result does not depend on it (default: the cores)", int, low=1, optional=True
    )
    rng: int = field(0, "seed of the random numbers", int, low=0)

    def __post_init__(self) -> None:
        check_fields(self)
        if is_kernel(self.base_kernel):
            self._make_of_base(self.base_kernel)
        if is_kernel(self.kernel):
            self._spell_out(self.kernel)
        self.feature_name()

    def _given(self) -> dict[str, Any]:
        """Return the parameters of the kernel that are set."""
        return {name: getattr(self, name) for name in KERNEL_FIELDS if getattr(self, name) is not None}

    def _make_of_base(self, base: Any) -> None:
        """Replace the name of a kernel and the kernel that it is made of by one kernel."""
        given = self._given()
        self._check_composite()
        object.__setattr__(self, "kernel", make_kernel(str(self.kernel), kernel=base, **given))
        for name in ("base_kernel", *given):
            object.__setattr__(self, name, None)

    def _check_composite(self) -> None:
        """Raise a ValueError if there is a base kernel for a kernel that is not made of another."""
        if self.kernel not in COMPOSITES:
            raise ValueError(
                f"base_kernel = {self.base_kernel!r} does not go with kernel = {self.kernel!r}; "
                f"only {', '.join(COMPOSITES)} are made of another kernel"
            )

    def _spell_out(self, kernel: Any) -> None:
        """Replace a kernel by its name and parameters, if these have fields and make the same kernel again."""
        for name, value in ({"base_kernel": self.base_kernel} | self._given()).items():
            if value is not None:
                raise ValueError(
                    f"{name} = {value!r} cannot change the kernel {kernel}, which has its parameters; "
                    "leave it out, or give the kernel by name"
                )
        values = kernel_record(kernel)
        # There is one seed for everything: the one that is not the default.
        seed, default = values.get("rng", self.rng), type(self).rng
        if default not in (seed, self.rng) and seed != self.rng:
            raise ValueError(f"rng = {self.rng} and the seed of the kernel {kernel} differ; give one of them")
        seed = self.rng if seed == default else seed
        kernel = with_seed(kernel, seed) if "rng" in values else kernel
        values = kernel_record(kernel)
        object.__setattr__(self, "rng", seed)
        object.__setattr__(self, "kernel", kernel)
        for name in values.keys() & (fields_of(self).keys() - {"kernel", "base_kernel", "rng", *KERNEL_FIELDS}):
            raise ValueError(
                f"the parameter {name!r} of the kernel {kernel} has the name of another setting; rename it"
            )
        nested = isinstance(values.get("base_kernel"), Mapping)
        if nested or values["kernel"] not in kernel_names() or not values.keys() <= fields_of(Parameters).keys():
            return
        by_name = dataclasses.replace(self, **values)
        if by_name.make_kernel() == kernel:
            for name in values:
                object.__setattr__(self, name, getattr(by_name, name))

    def make_kernel(self) -> Kernel:
        """Return the kernel with its parameters."""
        if not isinstance(self.kernel, str):
            return self.kernel
        known = kernel_fields(self.kernel, self.base_kernel)
        given = {name: value for name, value in IMAGE_DEFAULTS.items() if name in known} | self._given()
        if "rng" in known:
            given["rng"] = self.rng
        if self.base_kernel is not None:
            self._check_composite()
            given["kernel"] = self.base_kernel
        return make_kernel(self.kernel, **given)

    def feature_name(self) -> str:
        """Return what the kernel sees of a pixel, once "auto" is settled; an error if it cannot take that."""
        from segjt.kernels.base import DISTRIBUTIONS, MEASURES, NONNEGATIVE, POSITIVE_MEASURES, REAL

        kernel = self.make_kernel().innermost()
        possible = {
            REAL: ["colour", "colour_histogram", "texture"],
            NONNEGATIVE: ["colour", "colour_histogram", "texture"],
            MEASURES: ["colour_histogram", "texture", "colour"],
            POSITIVE_MEASURES: ["colour_histogram", "texture"],
            DISTRIBUTIONS: ["colour_histogram", "texture"],
        }.get(kernel.domain, ["colour", "colour_histogram", "texture", "neighbourhood"])
        if kernel.takes_gaussians:
            possible = ["neighbourhood", *possible]
        if self.features != "auto" and self.features not in possible:
            raise ValueError(
                f"features = {self.features!r} do not go with the kernel {kernel.name!r}, which takes {kernel.domain}; "
                f"choose one of {', '.join(possible)}"
            )
        return possible[0] if self.features == "auto" else self.features

    @classmethod
    def preset(cls, name: str) -> Parameters:
        """Return the settings of a name: fast, default, best, or paper (that of paper 000)."""
        if name not in PRESETS:
            choices = ", ".join(PRESETS)
            raise ValueError(f"preset = {name!r} is unknown{suggestion(str(name), PRESETS)}; choose one of {choices}")
        return cls(**PRESETS[name])

    def replace(self, **changes: Any) -> Parameters:
        """Return a copy with some values changed; a kernel parameter that the new kernel lacks is dropped."""
        if "kernel" not in changes and any(name not in fields_of(self) for name in changes):
            # A parameter that is not a field is one of the kernel in use.
            changes = kernel_record(self.make_kernel()) | changes
        changes = with_kernel_object(changes)
        if "kernel" in changes or "base_kernel" in changes:
            changes = self._following_the_kernel(changes) | changes
        return dataclasses.replace(self, **changes)

    def _following_the_kernel(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that the other fields of the kernel, and the features, take when the kernel changes."""
        kernel = changes.get("kernel", self.kernel)
        base = changes.get("base_kernel", self.base_kernel if kernel in COMPOSITES else None)
        known = kernel_fields(kernel, base) if isinstance(kernel, str) else {}
        # Features that were the old kernel's own choice are left to the new kernel.
        own_choice = dataclasses.replace(self, features="auto").feature_name() == self.feature_name()
        return {
            **{name: None for name in KERNEL_FIELDS if name not in known},
            "base_kernel": base if isinstance(kernel, str) else None,
            "features": "auto" if own_choice else self.features,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return all values that are set, with the kernel's defaults filled in, so that a record stays valid."""
        values = {name: getattr(self, name) for name in fields_of(self)}
        values |= kernel_record(self.make_kernel()) | {"features": self.feature_name(), "rng": self.rng}
        return {name: value for name, value in values.items() if value is not None}

    def to_toml(self) -> str:
        """Return the values as a TOML config file, each under its doc line."""
        kernel = self.make_kernel()
        declared = fields_of(kernel.innermost()) | fields_of(kernel) | fields_of(self)
        return "".join(
            f"# {declared[name].doc}\n{name} = {toml_value(value)}\n" for name, value in self.to_dict().items()
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Parameters:
        """Make parameters from a mapping; an unknown name is a ValueError that lists the choices."""
        return cls(**with_kernel_object(values))


def toml_value(value: Any) -> str:
    """Return a value as TOML: a table in one line for a mapping."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {toml_value(part)}' for name, part in value.items())} }}"
    return json.dumps(value)


def with_kernel_object(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return checked values in which a kernel that has parameters without a field of `Parameters` is an object."""
    check_names(values)
    has_field = fields_of(Parameters)
    nested = isinstance(values.get("base_kernel"), Mapping)
    if all(name in has_field for name in values) and not nested:
        return dict(values)
    if not isinstance(values.get("kernel"), str):
        raise ValueError(f"base_kernel = {values.get('base_kernel')!r} needs the kernel that is made of it, by name")
    of_kernel = {name: value for name, value in values.items() if name in KERNEL_FIELDS or name not in has_field}
    base = {"base_kernel": values["base_kernel"]} if "base_kernel" in values else {}
    kernel = kernel_of_record({"kernel": values["kernel"]} | of_kernel | base)
    rest = {name: value for name, value in values.items() if name not in of_kernel and name not in base}
    return rest | {"kernel": kernel}


def kernel_fields(kernel: str, base: Any) -> dict[str, Field]:
    """Return the fields of a kernel, and of the kernel it is made of if that is given by name or not at all."""
    fields = fields_of(kernel_class(kernel))
    if kernel in COMPOSITES and (base is None or isinstance(base, str)):
        fields = fields_of(kernel_class(base or default_base(kernel))) | fields
    return fields


def check_names(values: Mapping[str, Any]) -> None:
    """Raise a ValueError if a name is not that of a parameter, or of one of the kernel that is named with it."""
    known = list(fields_of(Parameters))
    if all(name in known for name in values):
        return
    if isinstance(values.get("kernel"), str) and values["kernel"] in kernel_names():
        known += [name for name in kernel_fields(values["kernel"], values.get("base_kernel")) if name not in known]
    for name in values:
        if name not in known:
            raise ValueError(f"unknown parameter {name!r}{suggestion(name, known)}; choose from {', '.join(known)}")


def read_config(path: str | Path) -> dict[str, Any]:
    """Return the parameters of a TOML config file, or of the JSON record beside a result.

    Names are checked here; values when `Parameters` is made of them.
    """
    import tomllib

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        values = json.loads(text) if Path(path).suffix.lower() == ".json" else tomllib.loads(text)
        if isinstance(values, dict) and isinstance(values.get("parameters"), dict):
            values = values["parameters"]
        if not isinstance(values, dict):
            raise ValueError("it holds no table of parameters")
        check_names(values)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; give a TOML file of parameters or the JSON record of a result") from None
    return values
