"""EC2 itself about machines and launches: read-only calls and dry runs, which start nothing."""

from __future__ import annotations

import os
from typing import Any

import pytest

from components import catalog
from components.catalog.fabric import layout

REGION = os.environ.get("GPUKIT_LIVE_AWS_REGION", "")
PLACES = {name: os.environ.get(f"GPUKIT_LIVE_AWS_{name}", "") for name in ("SUBNET", "GROUP", "IMAGE")}
EFA = sorted(m.name for m in catalog.machines("aws") if m.fabric == "efa" and m.gpu_count)

pytestmark = pytest.mark.skipif(not REGION, reason="needs a real account: give GPUKIT_LIVE_AWS_REGION (tests/live/README.md)")


def ec2() -> Any:
    import boto3

    return boto3.client("ec2", region_name=REGION)


def described(name: str) -> dict[str, Any]:
    found = ec2().describe_instance_types(Filters=[{"Name": "instance-type", "Values": [name]}])["InstanceTypes"]
    if not found:
        pytest.skip(f"{name} is not offered in {REGION}")
    return found[0]


@pytest.mark.parametrize("name", EFA)
def test_the_catalogue_says_of_a_machine_what_ec2_says(name: str) -> None:
    told, machine = described(name), catalog.machine("aws", name)
    gpus = sum(each["Count"] for each in told["GpuInfo"]["Gpus"])
    assert (told["VCpuInfo"]["DefaultVCpus"], gpus) == (machine.vcpus, machine.gpu_count)
    assert told["NetworkInfo"]["EfaInfo"]["MaximumEfaInterfaces"] == machine.rdma_interfaces
    assert len(told["NetworkInfo"]["NetworkCards"]) == len(machine.cards)


@pytest.mark.failure("A2")
@pytest.mark.failure("A4")
@pytest.mark.failure("A5")
@pytest.mark.skipif(not all(PLACES.values()), reason="dry runs need a subnet, a group and an image: GPUKIT_LIVE_AWS_SUBNET, _GROUP, _IMAGE")
@pytest.mark.parametrize("name", EFA)
def test_ec2_takes_the_interfaces_that_the_catalogue_lays_out(name: str) -> None:
    from botocore.exceptions import ClientError

    described(name)
    interfaces = [
        {
            "NetworkCardIndex": slot.card,
            "DeviceIndex": slot.device,
            "InterfaceType": slot.kind,
            "SubnetId": PLACES["SUBNET"],
            "Groups": [PLACES["GROUP"]],
        }
        for slot in layout(catalog.machine("aws", name))
    ]
    with pytest.raises(ClientError) as caught:
        ec2().run_instances(ImageId=PLACES["IMAGE"], InstanceType=name, MinCount=1, MaxCount=1, NetworkInterfaces=interfaces, DryRun=True)
    assert caught.value.response["Error"]["Code"] == "DryRunOperation"
