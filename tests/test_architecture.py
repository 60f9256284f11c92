"""ARCHITECTURE.md's promise: a kernel, a way to merge and an export are added through the registries, in one file."""

import copy
import dataclasses
import json
import tomllib

import numpy as np
import pytest

import segjt
from segjt.cli.entry import main
from segjt.fields import field
from segjt.kernels import Kernel, kernel_names, make_kernel, register_kernel, unregister_kernel
from segjt.learn import KernelKMeans
from segjt.merging import MergeMethod, register_merge_method, unregister_merge_method
from segjt.merging.agglomeration import agglomerate
from segjt.merging.registry import merge_method_names
from segjt.results import Export, export_names, register_export, unregister_export


@pytest.fixture(autouse=True)
def registries():
    """What a test registers is unregistered after it, and nothing else is left."""
    registries = ((kernel_names, unregister_kernel), (merge_method_names, unregister_merge_method))
    before = [(names, unregister, names()) for names, unregister in (*registries, (export_names, unregister_export))]
    yield
    for names, unregister, known in before:
        for name in set(names()) - set(known):
            unregister(name)
        assert names() == known


def test_a_new_kernel(crop, tmp_path):
    @register_kernel
    @dataclasses.dataclass(frozen=True)
    class Cauchy(Kernel):
        """Cauchy kernel 1 / (1 + |x - y|^2 / scale^2)."""

        name = "cauchy"
        unit_diagonal = True
        scale: float = field(0.1, "distance at which the similarity is a half", float, low=1e-6)

        def gram(self, X, Y):
            return 1 / (1 + ((X[:, None] - Y[None]) ** 2).sum(2) / self.scale**2)

    assert "cauchy" in kernel_names()
    labels = segjt.segment(crop, 4, kernel="cauchy")
    assert labels.max() == 4
    # A parameter of its own goes wherever the kernel goes, and into records and configs.
    wide = segjt.segment(crop, 4, kernel="cauchy", scale=0.3)
    assert (segjt.segment(crop, 4, kernel=Cauchy(scale=0.3)) == wide).all()
    parameters = segjt.Parameters(kernel=Cauchy(scale=0.3))
    assert (parameters.to_dict()["kernel"], parameters.to_dict()["scale"]) == ("cauchy", 0.3)
    assert segjt.Parameters.from_dict(json.loads(json.dumps(parameters.to_dict()))).make_kernel() == Cauchy(scale=0.3)
    (tmp_path / "cauchy.toml").write_text(parameters.to_toml())
    assert "# distance at which the similarity is a half\nscale = 0.3\n" in parameters.to_toml()
    assert parameters.replace(scale=0.2).make_kernel() == Cauchy(scale=0.2)
    assert (segjt.segment(crop, 4, parameters=parameters) == wide).all()
    assert (segjt.Segmenter(kernel="cauchy", scale=0.3, n_segments=4).fit(crop).labels_ == wide).all()
    cosine = segjt.Parameters(kernel="normalized", base_kernel=Cauchy(scale=0.3), order=0)
    assert cosine.make_kernel() == make_kernel("normalized", kernel="cauchy", scale=0.3, order=0)
    for text in (json.loads(json.dumps(cosine.to_dict())), tomllib.loads(cosine.to_toml())):
        assert segjt.Parameters.from_dict(text).make_kernel() == cosine.make_kernel()
    with pytest.raises(ValueError, match="unknown parameter 'scale'"):
        segjt.segment(crop, kernel="jt2", scale=0.3)
    # Estimators and the command line know it too.
    rows = np.random.default_rng(0).random((20, 2))
    by_name = KernelKMeans(3, kernel="cauchy", kernel_params={"scale": 0.2}).fit_predict(rows)
    assert (KernelKMeans(3, kernel=make_kernel("cauchy", scale=0.2)).fit_predict(rows) == by_name).all()
    from PIL import Image

    Image.fromarray(crop).save(tmp_path / "photo.png")
    config = ["--config", str(tmp_path / "cauchy.toml"), "--n-segments", "4", "--quiet"]
    assert main(["segment", str(tmp_path / "photo.png"), *config]) == 0
    record = json.loads((tmp_path / "photo_segments.json").read_text())
    assert (record["parameters"]["kernel"], record["parameters"]["scale"]) == ("cauchy", 0.3)
    assert (segjt.io.read_labels(tmp_path / "photo_labels.png") == wide).all()


def test_a_new_way_to_merge(crop, tmp_path):
    def by_size(graph, numbers, settings):
        """Leave the n - 1 largest regions alone and put all others together."""
        rank = np.empty(len(graph), np.intp)
        rank[np.argsort(-graph.sizes, kind="stable")] = np.arange(len(graph))
        return [np.minimum(rank, n - 1) for n in numbers]

    method = MergeMethod("largest", sees="colour", group=by_size)
    assert register_merge_method(method) is method
    assert "largest" in merge_method_names()
    initial, labels = segjt.oversegment(crop), segjt.segment(crop, 5, merge_method="largest")
    assert labels.max() == 5
    sizes = np.sort(np.bincount(initial.ravel())[1:])
    assert np.sort(np.bincount(labels.ravel())[1:])[:4].tolist() == sizes[-4:].tolist()
    assert segjt.segment(crop, merge_method="largest").max() == segjt.hierarchy(crop).n_auto
    with pytest.raises(ValueError, match="merge_method = 'largest' makes no hierarchy"):
        segjt.hierarchy(crop, merge_method="largest")
    with pytest.raises(ValueError, match="merge method 'largest' exists already; choose another name"):
        register_merge_method(MergeMethod("largest", sees="lab", group=by_size))
    with pytest.raises(ValueError, match="did you mean 'largest'"):
        segjt.segment(crop, merge_method="largst")
    unregister_merge_method("largest")
    with pytest.raises(ValueError, match="'largest' is unknown"):
        unregister_merge_method("largest")


def test_a_new_way_to_merge_that_makes_a_tree(crop):
    def one_after_another(graph):
        """Merge touching regions in the order of their edges, whatever they look like."""
        first = agglomerate(dataclasses.replace(graph, gradients=np.zeros_like(graph.gradients)), 40)
        return first, agglomerate(copy.deepcopy(first.left), 1)

    register_merge_method(MergeMethod("plain", sees="colour", merge=one_after_another))
    tree = segjt.hierarchy(crop, merge_method="plain")
    assert tree.cut(5).max() == 5
    assert (segjt.segment(crop, 5, merge_method="plain") == tree.cut(5)).all()
    rough = segjt.hierarchy(crop, merge_method="plain", outline_sweeps=0)
    assert (segjt.merge(crop, rough.initial, 5, merge_method="plain") == rough.cut(5)).all()
    with pytest.raises(ValueError, match="sees = 'infrared' is unknown; choose lab or colour"):
        register_merge_method(MergeMethod("other", sees="infrared", merge=one_after_another))
    with pytest.raises(ValueError, match="merge method 'other' needs either group or merge"):
        register_merge_method(MergeMethod("other", sees="lab"))


def test_a_new_export(image_file):
    def encode(segmentation):
        return str(int(segmentation.labels.max())).encode()

    export = Export("count", (".txt",), "number of segments", encode)
    assert register_export(export) is export
    assert main(["segment", str(image_file), "--n-segments", "3", "--export", "count", "--quiet"]) == 0
    assert image_file.with_name("photo_count.txt").read_text() == "3"
    assert "photo_count.txt" in json.loads(image_file.with_name("photo_segments.json").read_text())["files"]
    unregister_export("count")
    with pytest.raises(ValueError, match="'count' is unknown"):
        unregister_export("count")
