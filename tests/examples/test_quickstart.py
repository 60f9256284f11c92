import os
import subprocess
import sys

import numpy as np
from conftest import REPOSITORY
from PIL import Image


def test_quickstart_draws_its_figure(tmp_path):
    target = tmp_path / "figure.png"
    command = [sys.executable, REPOSITORY / "examples" / "quickstart.py", target]
    subprocess.run(command, check=True, timeout=300, env={**os.environ, "MPLBACKEND": "agg"})
    picture = np.asarray(Image.open(target).convert("RGB"))
    assert picture.shape[1] > 1000
    assert picture.std() > 30
