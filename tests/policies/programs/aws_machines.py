"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi
import pulumi_aws as aws

ami = aws.ec2.get_ami(
    most_recent=True,
    owners=["amazon"],
    filters=[aws.ec2.GetAmiFilterArgs(name="name", values=["Deep Learning Base OSS Nvidia Driver GPU AMI (Ubuntu 22.04)*"])],
)
sg = aws.ec2.SecurityGroup(
    "ssh",
    ingress=[{"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ["0.0.0.0/0"]}],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
)
box = aws.ec2.Instance(
    "dev",
    instance_type="g4dn.xlarge",
    ami=ami.id,
    key_name="me",
    vpc_security_group_ids=[sg.id],
    root_block_device={"volume_size": 100},
    user_data="#!/bin/bash\nnvidia-smi\n",
    tags={"Name": "dev", "owner": "me"},
)
lt = aws.ec2.LaunchTemplate("lt", image_id=ami.id, instance_type="p3.2xlarge", vpc_security_group_ids=[sg.id])
aws.autoscaling.Group(
    "workers",
    availability_zones=["us-west-2a"],
    desired_capacity=0,
    min_size=0,
    max_size=2,
    launch_template={"id": lt.id, "version": "$Latest"},
)
pulumi.export("ip", box.public_ip)
