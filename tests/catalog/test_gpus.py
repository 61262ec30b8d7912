import pytest

from components.catalog import UnknownName, gpus


def test_a_gpu_has_its_memory_throughput_and_partitions() -> None:
    h100 = gpus.gpu("H100 SXM")

    assert (h100.architecture, h100.compute_capability, h100.memory_gib, h100.mig_instances) == ("Hopper", "9.0", 80, 7)


def test_a_figure_that_sources_disagree_about_is_none() -> None:
    assert gpus.gpu("H100 NVL").fp16_tflops is None


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="unknown GPU model 'H100SXM'; nearest: H100 SXM"):
        gpus.gpu("H100SXM")


def test_attached_gpus_say_how_large_a_machine_may_be() -> None:
    four = next(a for a in gpus.attached_gpus() if (a.accelerator, a.count) == ("nvidia-tesla-t4", 4))

    assert (four.gpu_model, four.max_vcpus, four.max_memory_gib) == ("T4", 96, 624)
