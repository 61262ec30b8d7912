"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import base64

import pulumi
import pulumi_aws as aws

NAME = "trainer"
subnets = [
    aws.ec2.Subnet(f"nodes-{zone}", vpc_id="vpc-0f00", cidr_block=f"10.8.{i * 16}.0/20", availability_zone=f"us-west-2{zone}")
    for i, zone in enumerate("ab")
]
sg = aws.ec2.SecurityGroup("nodes", vpc_id="vpc-0f00", tags={f"kubernetes.io/cluster/{NAME}": "owned"})
aws.ec2.SecurityGroupRule("in", type="ingress", security_group_id=sg.id, protocol="-1", from_port=0, to_port=0, self=True)
aws.ec2.SecurityGroupRule("out", type="egress", security_group_id=sg.id, protocol="-1", from_port=0, to_port=0, cidr_blocks=["0.0.0.0/0"])
aws.ec2.PlacementGroup("together", name="trainer-pg", strategy="cluster")

boot = f"#!/bin/bash\n/etc/eks/bootstrap.sh {NAME} --kubelet-extra-args '--node-labels=fabric=efa'\n"
template = aws.ec2.LaunchTemplate(
    "p4d",
    name_prefix="p4d-",
    image_id=aws.ssm.get_parameter(name="/trainer/ami").value,
    instance_type="p4d.24xlarge",
    user_data=base64.b64encode(boot.encode()).decode(),
    placement={"group_name": "trainer-pg"},
    # the card of each interface was lost on the way
    network_interfaces=[
        {"device_index": n, "interface_type": "efa", "security_groups": [sg.id], "delete_on_termination": "true"} for n in range(4)
    ],
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 300, "volume_type": "gp3"}}],
)
tags = {"Name": "p4d", f"kubernetes.io/cluster/{NAME}": "owned", "k8s.io/cluster-autoscaler/enabled": "true"}
aws.autoscaling.Group(
    "p4d",
    min_size=0,
    max_size=2,
    vpc_zone_identifiers=[s.id for s in subnets],
    launch_template={"id": template.id, "version": template.latest_version.apply(str)},
    tags=[{"key": k, "value": v, "propagate_at_launch": True} for k, v in tags.items()],
    opts=pulumi.ResourceOptions(ignore_changes=["desired_capacity"]),
)
