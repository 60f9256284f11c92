import os
import subprocess
import sys
import tomllib

import segjt
from segjt.kernels import kernel_names
from segjt.knobs import knobs_of
from segjt.parameters import Parameters


def test_version(run):
    assert run("--version").stdout == f"segjt {segjt.__version__}\n"


def test_help_lists_commands_and_every_parameter(run):
    top = run("--help").stdout
    assert all(command in top for command in ("segment", "kernels", "config"))
    text = run("segment", "--help").stdout
    for name in knobs_of(Parameters):
        assert f"--{name.replace('_', '-')}" in text
    assert "expjt3" in text


def test_kernels_lists_names_parameters_and_ranges(run):
    text = run("kernels").stdout
    for name in kernel_names():
        assert f"\n{name}\n" in f"\n{text}"
    assert "domain: non-negative vectors, scaled to [0, 1]; positive semi-definite for every q in [0, 2]" in text
    assert "--q: entropic index of the Jensen-Tsallis kernels; a number from 0 to 2 (default: 1.0)" in text


def test_config_prints_the_parameters_as_toml(run):
    values = tomllib.loads(run("config", "--kernel", "gaussian", "--sigma", "0.5").stdout)
    assert Parameters.from_dict(values) == Parameters(kernel="gaussian", sigma=0.5)


def test_the_installed_command_is_the_module():
    import sysconfig

    script = f"{sysconfig.get_path('scripts')}/segjt"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"segjt {segjt.__version__}\n"


def test_output_that_nobody_reads():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    code = f"{sys.executable} -m segjt kernels | (exec <&-; sleep 1)"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
