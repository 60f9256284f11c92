"""`Segmenter`: the pipeline as a scikit-learn estimator."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from segjt.image import as_image
from segjt.parameters import Parameters, with_kernel_object
from segjt.pipeline import resolve_parameters, segment_image
from segjt.runtime.arrays import Labels


class Segmenter(BaseEstimator):  # type: ignore[misc]
    """Segment an image the scikit-learn way.

    The constructor takes the fields of `Parameters` as keywords; `get_params`, `set_params` and `clone` work as usual.

    Attributes
    ----------
    labels_ : (H, W) int32 array
        Segments 1..K; 0 where a pixel is masked out.
    initial_labels_ : (H, W) int32 array
        The small segments before merging.
    n_segments_ : int
        Number of segments.

    Examples
    --------
    >>> import numpy as np, segjt
    >>> image = np.zeros((32, 32), np.uint8)
    >>> image[:, 16:] = 200
    >>> segjt.Segmenter(kernel="jt2", n_segments=2).fit(image).n_segments_
    2
    """

    def __init__(self, **parameters: Any) -> None:
        parameters = with_kernel_object(parameters)
        for field in dataclasses.fields(Parameters):
            setattr(self, field.name, parameters.get(field.name, field.default))

    # scikit-learn reads the parameters off the signature, so this has the fields of `Parameters`.
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
            for field in dataclasses.fields(Parameters)
        ]
    )

    @classmethod
    def preset(cls, name: str) -> Segmenter:
        """Return the estimator with the settings of `Parameters.preset`: fast, default, best or paper."""
        return cls(**dataclasses.asdict(Parameters.preset(name)))

    def fit(
        self, image: ArrayLike, y: None = None, *, mask: ArrayLike | None = None, channel_axis: int | None = None
    ) -> Segmenter:
        """Segment an image, as `segjt.segment` takes it, and keep the result; `y` is ignored."""
        parameters = resolve_parameters(None, self.get_params())
        checked = as_image(image, mask, channel_axis)
        self.initial_labels_, self.labels_ = segment_image(checked, parameters)
        self.n_segments_ = int(self.labels_.max(initial=0))
        return self

    def fit_predict(self, image: ArrayLike, y: None = None, **options: Any) -> Labels:
        """Segment `image` and return the labels."""
        return self.fit(image, **options).labels_
