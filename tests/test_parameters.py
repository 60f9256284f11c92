import dataclasses
import json
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjt.fields import field, fields_of
from segjt.kernels import Kernel
from segjt.kernels.registry import COMPOSITES, kernel_class, kernel_names, make_kernel
from segjt.parameters import KERNEL_FIELDS, PRESETS, Parameters, kernel_fields, read_config


def test_defaults_of_the_blocks_are_those_of_the_paper():
    for chosen in (Parameters(), Parameters.preset("paper")):
        assert (chosen.kernel, chosen.segments_per_block) == ("expjt2", 8)
        assert (chosen.distance_lambda, chosen.distance_sigma) == (0.08, 2.0)


def test_presets():
    assert Parameters.preset("default") == Parameters()
    paper = Parameters.preset("paper")
    assert (paper.block_size, paper.merge_method, paper.power, paper.bins, paper.n_segments) == (
        16,
        "spectral",
        16.0,
        8,
        6,
    )
    assert Parameters().n_segments == "auto"
    for name in PRESETS:
        assert Parameters.from_dict(Parameters.preset(name).to_dict()).to_dict() == Parameters.preset(name).to_dict()
    with pytest.raises(
        ValueError, match=r"preset = 'fst' is unknown \(did you mean 'fast'\?\); choose one of default,"
    ):
        Parameters.preset("fst")


def test_every_kernel_parameter_is_a_field_and_every_kernel_field_a_parameter():
    used = {name for kernel in kernel_names() for name in fields_of(kernel_class(kernel))}
    assert used == {*KERNEL_FIELDS, "rng"}  # sampled kernels draw with the seed of everything else


def test_every_field_has_a_doc_line():
    for name, declared in fields_of(Parameters).items():
        assert declared.doc, name
        assert "\n" not in declared.doc


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"block_size": 3}, ["block_size = 3", "at least 4"]),
        ({"bins": 1}, ["bins = 1", "from 2 to 32"]),
        ({"bins": 33}, ["bins = 33", "from 2 to 32"]),
        ({"power": 0}, ["power = 0", "from 0.001 to 1000"]),
        ({"distance_lambda": 1.5}, ["distance_lambda = 1.5", "from 0 to 1"]),
        ({"distance_sigma": 0}, ["distance_sigma = 0", "from 0.001"]),
        ({"n_segments": 0}, ["n_segments = 0", "'auto'", "from 1 to 2147483647"]),
        ({"merge_method": "spectrl"}, ["'spectrl'", "did you mean 'spectral'"]),
        ({"kernel": "jt22"}, ["'jt22'", "did you mean 'jt2'", "nlin"]),
        ({"kernel": "jt2", "q": 3}, ["q = 3", "from 0 to 2"]),
        ({"t": 0}, ["t = 0", "from 1e-06"]),
        ({"kernel": "gaussian", "q": 1}, ["'gaussian' has no parameter 'q'", "sigma"]),
        ({"workers": 0}, ["workers = 0"]),
        ({"rng": -1}, ["rng = -1"]),
    ],
)
def test_wrong_values_are_named(change, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the words are checked below)
        Parameters(**change)
    for word in words:
        assert word in str(caught.value)


def test_unknown_names_are_errors_with_a_suggestion():
    with pytest.raises(ValueError, match=r"unknown parameter 'blocksize' \(did you mean 'block_size'\?\)"):
        Parameters().replace(blocksize=8)
    with pytest.raises(ValueError, match="unknown parameter 'colour'"):
        Parameters.from_dict({"colour": 1})


def test_changing_the_kernel_drops_parameters_it_lacks_but_not_those_asked_for():
    chosen = Parameters(kernel="expjt2", q=0.5, t=3)
    assert chosen.replace(kernel="jt2") == Parameters(kernel="jt2", q=0.5)
    with pytest.raises(ValueError, match="has no parameter 't'"):
        chosen.replace(kernel="jt2", t=2)


def test_kernels_made_of_others():
    chosen = Parameters(kernel="normalized", base_kernel="jt2", q=0.5, order=2)
    assert chosen.make_kernel() == make_kernel("normalized", kernel="jt2", q=0.5, order=2)
    assert Parameters(kernel="npoint", sigma=0.3).make_kernel() == make_kernel("npoint", kernel="gaussian", sigma=0.3)
    assert chosen.to_dict()["base_kernel"] == "jt2"
    assert "base_kernel" not in Parameters(kernel="jt2").to_dict()
    # Changing the kernel or its base drops what no longer has a place.
    assert chosen.replace(kernel="jt2") == Parameters(kernel="jt2", q=0.5)
    assert chosen.replace(base_kernel="gaussian") == Parameters(kernel="normalized", base_kernel="gaussian", order=2)
    assert chosen.replace(kernel="npoint", n=5) == Parameters(kernel="npoint", base_kernel="jt2", q=0.5, n=5)
    with pytest.raises(ValueError, match=r"base_kernel = 'jt2' does not go with kernel = 'gaussian'; only npoint"):
        Parameters(kernel="gaussian", base_kernel="jt2")
    with pytest.raises(ValueError, match="'nlin' compares 6 points already"):
        Parameters(kernel="npoint", base_kernel="nlin")


@pytest.mark.parametrize(
    ("kernel", "features"),
    [
        ("expjt2", "colour"),
        ("gaussian", "colour"),
        ("nlin", "colour"),
        ("js", "colour_histogram"),
        ("weighted_jt", "colour_histogram"),
        ("weighted_jt_normalized", "colour_histogram"),
        ("heat", "colour_histogram"),
        ("relaxed_br", "neighbourhood"),
        ("relaxed_r", "neighbourhood"),
        ("relaxed_product", "neighbourhood"),
        ("normalized", "colour"),
    ],
)
def test_each_kernel_has_its_features(kernel, features):
    assert Parameters(kernel=kernel).feature_name() == features
    assert Parameters(kernel=kernel).to_dict()["features"] == features


def test_features_follow_the_kernel_they_are_for():
    assert Parameters(kernel="normalized", base_kernel="js").feature_name() == "colour_histogram"
    assert Parameters(kernel="relaxed_b", features="colour").feature_name() == "colour"
    # A record has the features spelled out; another kernel chooses its own again, unless they were a wish.
    record = Parameters.from_dict(Parameters(kernel="jt2").to_dict())
    assert record.replace(kernel="js").feature_name() == "colour_histogram"
    assert Parameters(kernel="jt2", features="texture").replace(kernel="js").feature_name() == "texture"


@pytest.mark.parametrize(
    ("kernel", "features", "words"),
    [
        ("js", "colour", "'js', which takes probability vectors.*; choose one of colour_histogram, texture"),
        ("weighted_expjs", "colour", "choose one of colour_histogram, texture"),
        ("jt2", "neighbourhood", "'jt2', which takes non-negative vectors.*; choose one of colour, colour_histogram"),
    ],
)
def test_features_that_a_kernel_cannot_take(kernel, features, words):
    with pytest.raises(ValueError, match=words):
        Parameters(kernel=kernel, features=features)


def test_distances_of_the_relaxed_product_are_settings():
    given = Parameters(kernel="relaxed_product", mean_distance="root_jeffreys", covariance_distance="jeffreys")
    assert given.make_kernel().parts() == ("root_jeffreys", "jeffreys")
    assert Parameters.from_dict(given.to_dict()) == given.replace(**given.to_dict())
    assert given.replace(kernel="relaxed_mu").make_kernel().parts() == ("root_jeffreys", None)
    assert given.replace(kernel="jt2").mean_distance is None
    with pytest.raises(ValueError, match=r"'relaxed_r' has no parameter 'covariance_distance'"):
        Parameters(kernel="relaxed_r", covariance_distance="jeffreys")


def test_the_words_of_distances_are_those_of_the_kernels():
    """Spelled out in the settings, whose import must stay fast."""
    from segjt.kernels.gaussians import COVARIANCE_DISTANCES, MEAN_DISTANCES

    declared = fields_of(Parameters)
    assert declared["mean_distance"].words() == list(MEAN_DISTANCES)
    assert declared["covariance_distance"].words() == list(COVARIANCE_DISTANCES)


def test_relaxed_kernels_add_less_variance_in_images():
    assert Parameters(kernel="relaxed_h").make_kernel().gamma == 1e-3
    assert Parameters(kernel="relaxed_h", gamma=0.5).make_kernel().gamma == 0.5
    assert make_kernel("relaxed_h").gamma == 1


def test_sampled_kernels_draw_with_the_seed():
    assert Parameters(kernel="jt3+", rng=7, columns=9).make_kernel() == make_kernel("jt3+", rng=7, columns=9)


def test_is_frozen():
    with pytest.raises(AttributeError):
        Parameters().bins = 4


def build(kernel, base, own, **rest):
    made_of = {"base_kernel": base} if kernel in COMPOSITES else {}
    given = {name: value for name, value in own.items() if name in kernel_fields(kernel, made_of.get("base_kernel"))}
    return Parameters(kernel=kernel, **made_of, **given, **rest)


parameters = st.builds(
    build,
    kernel=st.sampled_from(kernel_names()),
    base=st.sampled_from(["jt2", "gaussian", "heat", "relaxed_b"]),
    own=st.fixed_dictionaries(
        {
            "q": st.floats(0, 2),
            "t": st.floats(1e-3, 1e3),
            "sigma": st.floats(1e-3, 1e3),
            "n": st.integers(2, 30),
            "degree": st.integers(1, 9),
            "c": st.floats(0, 10),
            "order": st.one_of(st.just("inf"), st.floats(0, 1e6)),
            "tau": st.floats(1e-3, 1e3),
            "coefficient": st.sampled_from(["exact", "published"]),
            "gamma": st.floats(1e-6, 10),
            "mean": st.sampled_from(["point", "neighbourhood"]),
        }
    ),
    block_size=st.integers(4, 64),
    bins=st.integers(2, 32),
    power=st.floats(0.1, 64),
    n_segments=st.one_of(st.just("auto"), st.integers(1, 10**6)),
    merge_method=st.sampled_from(["cues", "ncut", "spectral"]),
    workers=st.one_of(st.none(), st.integers(1, 64)),
    rng=st.integers(0, 2**40),
)


@given(parameters)
def test_dict_json_and_toml_go_round(chosen):
    complete = Parameters.from_dict(chosen.to_dict())
    assert complete.make_kernel() == chosen.make_kernel()
    assert complete.to_dict() == chosen.to_dict()
    assert Parameters.from_dict(json.loads(json.dumps(chosen.to_dict()))) == complete
    assert Parameters.from_dict(tomllib.loads(chosen.to_toml())) == complete


def test_toml_explains_every_value():
    text = Parameters().to_toml()
    assert "# largest side of a block" in text
    assert "q = 1.0" in text
    assert "sigma =" not in text.replace("distance_sigma =", "")


def test_read_config_reads_toml_and_records(tmp_path):
    toml = tmp_path / "segjt.toml"
    toml.write_text('kernel = "jt2"\nq = 1.25\n')
    assert read_config(toml) == {"kernel": "jt2", "q": 1.25}
    record = tmp_path / "photo_segments.json"
    record.write_text(json.dumps({"segjt": "0.1.0", "parameters": {"bins": 4}}))
    assert read_config(record) == {"bins": 4}


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("a.toml", "kernel = ", "a.toml"),
        ("a.toml", "blok_size = 8", "did you mean 'block_size'"),
        ("a.json", "{", "a.json"),
        ("a.json", "[1]", "no table of parameters"),
        ("a.toml", "\udcff", "a.toml"),
    ],
)
def test_bad_config_files_are_named(tmp_path, name, text, word):
    path = tmp_path / name
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=word):
        read_config(path)


@pytest.mark.parametrize("name", kernel_names())
def test_a_kernel_goes_where_its_name_goes(name):
    kernel = make_kernel(name)
    chosen = Parameters(kernel=kernel)
    assert chosen.make_kernel() == kernel
    assert chosen.kernel == name
    assert chosen.to_dict() == Parameters(kernel=name, **own_parameters(kernel)).to_dict()
    assert Parameters().replace(kernel=kernel) == chosen
    assert Parameters.from_dict(json.loads(json.dumps(chosen.to_dict()))).make_kernel() == kernel
    assert Parameters.from_dict(tomllib.loads(chosen.to_toml())).make_kernel() == kernel
    assert chosen.replace(kernel="jt2", q=0.5).make_kernel() == make_kernel("jt2", q=0.5)


def own_parameters(kernel):
    values = {("base_kernel" if name == "kernel" else name): value for name, value in kernel.parameters().items()}
    return {name: value for name, value in values.items() if name != "rng"}


def test_parameters_of_a_kernel_that_was_given_can_be_changed_by_name():
    assert Parameters(kernel=make_kernel("jt2", q=0.5)).replace(q=0.7).make_kernel() == make_kernel("jt2", q=0.7)


def test_a_kernel_has_its_parameters_already():
    with pytest.raises(ValueError, match=r"q = 0\.5 cannot change the kernel JT2\(q=1\.0\), which has its parameters"):
        Parameters(kernel=make_kernel("jt2"), q=0.5)
    with pytest.raises(TypeError, match=r"kernel = 3 is not a name; choose one of gaussian"):
        Parameters(kernel=3)


def test_the_base_kernel_can_be_a_kernel_too():
    chosen = Parameters(kernel="normalized", base_kernel=make_kernel("jt2", q=0.5), order=2)
    assert chosen == Parameters(kernel="normalized", base_kernel="jt2", q=0.5, order=2)
    with pytest.raises(
        ValueError, match=r"base_kernel = JT2\(q=1\.0\) does not go with kernel = 'gaussian'; only npoint"
    ):
        Parameters(kernel="gaussian", base_kernel=make_kernel("jt2"))
    with pytest.raises(ValueError, match="has its parameters already"):
        Parameters(kernel="normalized", base_kernel=make_kernel("jt2"), q=0.5)
    with pytest.raises(ValueError, match="needs the kernel that is made of it, by name"):
        Parameters().replace(base_kernel={"kernel": "jt2"})


def test_kernels_that_fields_cannot_spell_out_stay_as_they_are():
    cosine = make_kernel("normalized", kernel=make_kernel("npoint", kernel="gaussian", sigma=0.3, n=5), order=0)
    chosen = Parameters(kernel=cosine, block_size=20)
    assert chosen.make_kernel() is cosine
    assert chosen.replace(bins=4).make_kernel() is cosine
    assert chosen.replace(kernel="gaussian") == Parameters(kernel="gaussian", block_size=20)
    record = Parameters(kernel=cosine).to_dict()
    base = {"kernel": "npoint", "base_kernel": "gaussian", "sigma": 0.3, "n": 5, "coefficient": "exact"}
    assert (record["kernel"], record["base_kernel"], record["order"]) == ("normalized", base, 0.0)
    assert Parameters.from_dict(json.loads(json.dumps(record))).make_kernel() == cosine
    assert Parameters.from_dict(tomllib.loads(Parameters(kernel=cosine).to_toml())).make_kernel() == cosine


def test_the_seed_of_a_sampled_kernel_is_that_of_everything():
    kernel = make_kernel("jt3+", rng=7)
    chosen = Parameters(kernel=kernel)
    assert chosen.rng == chosen.to_dict()["rng"] == 7
    assert Parameters.from_dict(chosen.to_dict()).make_kernel() == kernel
    assert Parameters(kernel=kernel, rng=7) == chosen
    # A kernel with its default seed takes the seed of everything, as one given by name does.
    assert Parameters(kernel=make_kernel("jt3+"), rng=5) == Parameters(
        kernel="jt3+", rng=5, **own_parameters(make_kernel("jt3+"))
    )
    with pytest.raises(ValueError, match=r"rng = 3 and the seed of the kernel .* differ; give one of them"):
        Parameters(kernel=kernel, rng=3)


def test_kernels_that_cannot_be_recorded_are_refused():
    @dataclasses.dataclass(frozen=True)
    class Power(Kernel):
        """A kernel with a parameter that has the name of a setting."""

        name = "power_of_distance"
        power: float = field(2.0, "exponent", float)

        def gram(self, X, Y):
            return np.ones((len(X), len(Y)))

    class Nameless(Kernel):
        """A kernel without a name."""

        def gram(self, X, Y):
            return np.ones((len(X), len(Y)))

    with pytest.raises(ValueError, match=r"'power' of the kernel .* has the name of another setting; rename it"):
        Parameters(kernel=Power())
    with pytest.raises(TypeError, match="Nameless has no name, which records need"):
        Parameters(kernel=Nameless())


def test_help_documents_every_field():
    text = Parameters.__doc__
    for name, declared in fields_of(Parameters).items():
        assert f"\n{name} : " in text
        assert declared.doc in text
