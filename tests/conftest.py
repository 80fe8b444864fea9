"""Compiles the kernels before the first test, so that no test depends on whether another one did."""

import pytest
from deepcrew.solver.warmup import warm_up


@pytest.fixture(scope="session", autouse=True)
def _compiled_kernels() -> None:
    warm_up(lambda message: None)
