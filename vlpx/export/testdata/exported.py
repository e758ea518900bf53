"""The model.py of an exported folder as a module."""

import importlib.util
from pathlib import Path


def module(folder):
    spec = importlib.util.spec_from_file_location("model", Path(folder) / "model.py")
    of = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(of)
    return of
