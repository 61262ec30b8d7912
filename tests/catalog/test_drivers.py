import pytest

from components.catalog import UnknownName, drivers


@pytest.mark.parametrize(
    ("driver", "cuda", "runs"),
    [
        ("580.159.03", "13.0", True),
        ("580.159.03", "12.8", True),
        ("570.86.15", "13.0", False),
        ("525.60.13", "12.4", True),
        ("470.82.01", "12.0", False),
        ("470.82.01", "11.4", True),
    ],
)
def test_a_driver_runs_every_minor_of_the_majors_that_it_reaches(driver: str, cuda: str, runs: bool) -> None:
    assert drivers.driver_runs(driver, cuda) is runs


def test_a_cuda_major_without_a_known_floor_is_an_error() -> None:
    with pytest.raises(UnknownName, match="unknown CUDA major '9'"):
        drivers.driver_runs("580.159.03", "9.2")


@pytest.mark.parametrize(
    ("cuda", "capability", "serves"),
    [
        ("13.0", "7.0", False),
        ("12.8", "7.0", True),
        ("12.6", "10.0", False),
        ("12.8", "10.0", True),
        ("12.8", "10.3", False),
        ("13.0", "10.3", True),
    ],
)
def test_a_toolkit_compiles_for_the_gpus_of_its_time(cuda: str, capability: str, serves: bool) -> None:
    assert drivers.cuda_serves(cuda, capability) is serves


def test_a_capability_without_a_known_bound_is_not_guessed() -> None:
    assert drivers.cuda_serves("13.0", "9.0") is None


def test_a_framework_release_says_what_its_wheel_brings() -> None:
    torch = next(f for f in drivers.frameworks() if f.name == "PyTorch 2.14.1")

    assert (torch.cuda, torch.nccl, torch.min_driver) == ("13.0.3", "2.30.7", "580")
