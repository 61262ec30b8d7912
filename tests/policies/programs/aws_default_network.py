"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import json

import pulumi
import pulumi_aws as aws

vpc = aws.ec2.get_vpc(default=True)
subnets = aws.ec2.get_subnets(filters=[{"name": "vpc-id", "values": [vpc.id]}])


def role(name, service, *policies):
    r = aws.iam.Role(
        name,
        assume_role_policy=json.dumps(
            {"Version": "2012-10-17", "Statement": [{"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": {"Service": service}}]}
        ),
    )
    for i, p in enumerate(policies):
        aws.iam.RolePolicyAttachment(f"{name}-{i}", role=r.name, policy_arn=f"arn:aws:iam::aws:policy/{p}")
    return r


cluster = aws.eks.Cluster(
    "ml",
    role_arn=role("eks", "eks.amazonaws.com", "AmazonEKSClusterPolicy").arn,
    vpc_config=aws.eks.ClusterVpcConfigArgs(subnet_ids=subnets.ids, public_access_cidrs=["0.0.0.0/0"]),
    version="1.34",
)
ng = aws.eks.NodeGroup(
    "gpu",
    cluster_name=cluster.name,
    node_role_arn=role("nodes", "ec2.amazonaws.com", "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy").arn,
    subnet_ids=subnets.ids,
    instance_types=["g5.xlarge"],
    ami_type="AL2023_x86_64_NVIDIA",
    disk_size=100,
    scaling_config=aws.eks.NodeGroupScalingConfigArgs(desired_size=1, max_size=3, min_size=0),
    tags={"Name": "gpu", "owner": "ml"},
)
pulumi.export("cluster", cluster.name)
