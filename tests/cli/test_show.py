"""`segjt kernels`, `segjt config`, `--help` and `--version` as processes."""

import itertools
import os
import subprocess
import sys
import tomllib

import segjt
from segjt.fields import fields_of
from segjt.kernels import kernel_names, make_kernel
from segjt.parameters import Parameters


def test_version(run):
    assert run("--version").stdout == f"segjt {segjt.__version__}\n"


def test_help_lists_commands_and_every_parameter(run):
    top = run("--help").stdout
    assert all(command in top for command in ("segment", "objects", "kernels", "config"))
    text = run("segment", "--help").stdout
    for name in fields_of(Parameters):
        assert f"--{name.replace('_', '-')}" in text
    assert "expjt3" in text


def test_kernels_lists_names_parameters_and_ranges(run):
    text = run("kernels").stdout
    for name in kernel_names():
        assert f"\n{name}\n" in f"\n{text}"
        k = make_kernel(name)
        below = f"\n{text}".partition(f"\n{name}\n")[2].splitlines()
        section = "\n".join(itertools.takewhile(lambda line: line.startswith("    "), below))
        assert f"domain: {k.domain}" in section
        assert f"positive semi-definite: {k.positive_semidefinite}" in section
        for parameter, declared in fields_of(k).items():
            option = f"--{parameter.replace('_', '-')}"
            assert f"{option}: {declared.doc}; {declared.range_text()} (default: {getattr(k, parameter)}" in section
    assert "--q: entropic index of the Jensen-Tsallis kernels; a number from 0 to 2 (default: 1.0)" in text
    assert "--base-kernel: the kernel it is made of (default: jt2)" in text
    assert "(default: 1.0, in images 0.001)" in text


def test_config_prints_the_parameters_as_toml(run):
    values = tomllib.loads(run("config", "--kernel", "gaussian", "--sigma", "0.5").stdout)
    assert values == Parameters(kernel="gaussian", sigma=0.5).to_dict()
    values = tomllib.loads(run("config", "--kernel", "normalized", "--base-kernel", "nlin", "--order", "inf").stdout)
    assert values == Parameters(kernel="normalized", base_kernel="nlin", order="inf").to_dict()


def test_the_installed_command_is_the_module():
    import sysconfig

    script = f"{sysconfig.get_path('scripts')}/segjt"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"segjt {segjt.__version__}\n"


def test_a_reader_that_is_gone():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    code = f"{sys.executable} -m segjt kernels | (exec <&-; sleep 1)"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""


def test_help_lists_the_formats_that_can_be_read():
    from segjt.cli.commands import IMAGE_FILES

    assert IMAGE_FILES == segjt.io.FORMATS
