"""The provider door at the level of its protocol: real gRPC on the loopback, one connection a provider instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from scripts.sandbox import wire
from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.provider.serving import Serving, serve
from scripts.sandbox.provider.status_message import Status
from tests.sandbox.cloud import TRUST, Cloud

GROUP_RULE = t.EGRESS_RULE
SECRET = "kubernetes:core/v1:Secret"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


class Instance:
    """One provider instance of an engine: a connection of its own, and the calls that the engine makes on it."""

    def __init__(self, serving: Serving, **args: Any) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.insecure_channel(f"127.0.0.1:{serving.port}", options=options)
        self.stub = provider_pb2_grpc.ResourceProviderStub(self._channel)
        if args:
            self.configure(**args)

    def configure(self, **args: Any) -> None:
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in args.items()}
        self.stub.Configure(provider_pb2.ConfigureRequest(args=wire.encode(texts), acceptSecrets=True))

    def urn(self, token: str, name: str) -> str:
        return f"urn:pulumi:dev::gpukit::{token}::{name}"

    def check(self, token: str, name: str = "n", olds: dict[str, Any] | None = None, /, **news: Any) -> Any:
        return self.stub.Check(
            provider_pb2.CheckRequest(
                urn=self.urn(token, name), news=wire.encode(news), olds=wire.encode(olds or {}), randomSeed=b"\x01" * 32
            )
        )

    def failures(self, token: str, /, **news: Any) -> dict[str, str]:
        return {f.property or f.reason.partition(":")[0]: f.reason for f in self.check(token, **news).failures}

    def create(self, token: str, name: str = "n", /, *, preview: bool = False, **inputs: Any) -> tuple[str, dict[str, Any]]:
        checked = wire.decode(self.check(token, name, None, **inputs).inputs)
        answer = self.stub.Create(provider_pb2.CreateRequest(urn=self.urn(token, name), properties=wire.encode(checked), preview=preview))
        return answer.id, wire.decode(answer.properties)

    def read(self, token: str, id_: str, /, **inputs: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
        request = provider_pb2.ReadRequest(urn=self.urn(token, "n"), id=id_, inputs=wire.encode(inputs))
        answer = self.stub.Read(request)
        return answer.id, wire.decode(answer.properties), wire.decode(answer.inputs)

    def update(self, token: str, id_: str, old: dict[str, Any], /, *, preview: bool = False, **new: Any) -> dict[str, Any]:
        olds = self.read(token, id_)[1]
        request = provider_pb2.UpdateRequest(
            urn=self.urn(token, "n"), id=id_, olds=wire.encode(olds), old_inputs=wire.encode(old), news=wire.encode(new), preview=preview
        )
        return wire.decode(self.stub.Update(request).properties)

    def diff(self, token: str, old: dict[str, Any], new: dict[str, Any], ignore: tuple[str, ...] = ()) -> Any:
        return self.stub.Diff(
            provider_pb2.DiffRequest(urn=self.urn(token, "n"), old_inputs=wire.encode(old), news=wire.encode(new), ignoreChanges=ignore)
        )

    def delete(self, token: str, id_: str, /, **inputs: Any) -> None:
        self.stub.Delete(provider_pb2.DeleteRequest(urn=self.urn(token, "n"), id=id_, old_inputs=wire.encode(inputs)))

    def close(self) -> None:
        self._channel.close()


@pytest.fixture
def aws_port(cloud: Cloud) -> Iterator[Serving]:
    serving = serve(cloud.world, "aws")
    yield serving
    serving.stop()


@pytest.fixture
def aws(aws_port: Serving) -> Iterator[Instance]:
    instance = Instance(aws_port, region="us-east-1")
    yield instance
    instance.close()


@pytest.fixture
def kubernetes_port(cloud: Cloud) -> Iterator[Serving]:
    serving = serve(cloud.world, "kubernetes")
    yield serving
    serving.stop()


def kubeconfig(server: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server}}], "users": [{"name": "u", "user": {}}],
        }
    )  # fmt: skip


@pytest.fixture
def kubernetes(cloud: Cloud, kubernetes_port: Serving) -> Iterator[Instance]:
    cluster = cloud.cluster()
    instance = Instance(kubernetes_port, kubeconfig=kubeconfig(cluster.state["endpoint"]))
    yield instance
    instance.close()


def test_the_plugin_has_the_version_of_the_sdk_and_takes_secrets(aws: Instance):
    import importlib.metadata

    assert aws.stub.GetPluginInfo(provider_pb2.ConfigureRequest()).version == importlib.metadata.version("pulumi-aws")
    assert aws.stub.Handshake(provider_pb2.ProviderHandshakeRequest()).accept_secrets


def test_two_regions_on_two_connections_do_not_answer_crosswise(aws_port: Serving):
    east, west = Instance(aws_port, region="us-east-1"), Instance(aws_port, region="us-west-2")
    vpc, state = east.create(t.VPC, cidrBlock="10.0.0.0/16")
    assert west.create(t.VPC, cidrBlock="10.0.0.0/16")[1]["region"] == "us-west-2"
    assert state["region"] == "us-east-1"
    assert east.read(t.VPC, vpc)[0] == vpc
    assert west.read(t.VPC, vpc)[0] == ""


def test_objects_are_found_again_by_a_new_connection(aws: Instance, aws_port: Serving):
    vpc, _ = aws.create(t.VPC, cidrBlock="10.0.0.0/16")
    assert Instance(aws_port, region="us-east-1").read(t.VPC, vpc)[0] == vpc


def test_a_region_of_the_resource_itself_wins(aws: Instance):
    vpc, state = aws.create(t.VPC, cidrBlock="10.0.0.0/16", region="eu-west-1")
    assert state["region"] == "eu-west-1"
    assert aws.read(t.VPC, vpc, region="eu-west-1")[0] == vpc


def test_a_call_before_configure_is_refused(aws_port: Serving):
    with pytest.raises(grpc.RpcError, match="never configured"):
        Instance(aws_port).create(t.VPC, cidrBlock="10.0.0.0/16")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"region": "us-east-1", "allowedAccountIds": ["999999999999"]}, "AWS account ID not allowed: 123456789012"),
        ({"region": "us-east-1", "forbiddenAccountIds": ["123456789012"]}, "AWS account ID not allowed"),
        ({"profile": "x"}, "missing region"),
    ],
)
def test_a_provider_for_another_account_or_without_region_is_refused(aws_port: Serving, args: dict[str, Any], words: str):
    with pytest.raises(grpc.RpcError, match=words):
        Instance(aws_port, **args)


def test_a_provider_for_the_worlds_account_is_accepted(aws_port: Serving):
    assert Instance(aws_port, region="us-east-1", allowedAccountIds=["123456789012"]).create(t.VPC, cidrBlock="10.0.0.0/16")[0]


def test_provider_settings_are_checked(aws: Instance):
    answer = aws.stub.CheckConfig(
        provider_pb2.CheckRequest(news=wire.encode({"region": "us-east-1", "profle": "x", "allowedAccountIds": '["1"]'}))
    )
    assert [f.property for f in answer.failures] == ["profle"]


def test_check_names_missing_unknown_and_mistyped_properties(aws: Instance):
    assert aws.failures(GROUP_RULE, securityGroupId="sg-1", fromPort="x", ipProtokol="-1").keys() == {
        "ipProtocol",
        "fromPort",
        "ipProtokol",
    }


def test_check_names_values_outside_of_the_clouds_closed_lists(aws: Instance):
    found = aws.failures(
        t.NODE_GROUP, clusterName="c", nodeRoleArn="r", subnetIds=["s"], scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 1},
        amiType="AL2023_x86_64_NVIDA", taints=[{"key": "k", "effect": "NoSchedule"}],
    )  # fmt: skip
    assert found.keys() == {"amiType", "taints[0].effect"}
    assert "did you mean 'AL2023_x86_64_NVIDIA'?" in found["amiType"]
    assert "NO_SCHEDULE" in found["taints[0].effect"]


def test_a_type_that_the_sdk_does_not_have_fails_the_check(aws: Instance):
    assert "unknown resource type" in next(iter(aws.failures("aws:ec2/vpcc:Vpcc").values()))


def test_names_are_made_once_and_kept(aws: Instance):
    first = wire.decode(aws.check(t.ROLE, "nodes", assumeRolePolicy=TRUST).inputs)
    assert first["name"].startswith("nodes-")
    assert wire.decode(aws.check(t.ROLE, "nodes", first, assumeRolePolicy=TRUST).inputs)["name"] == first["name"]
    assert wire.decode(aws.check(t.ROLE, "nodes", None, name="mine", assumeRolePolicy=TRUST).inputs)["name"] == "mine"


def test_a_preview_makes_nothing_and_promises_only_what_it_knows(cloud: Cloud, aws: Instance):
    id_, planned = aws.create(t.CLUSTER, preview=True, name="lab", roleArn=wire.UNKNOWN, vpcConfig={"subnetIds": [wire.UNKNOWN]})
    assert id_ == ""
    assert not len(cloud.world.store)
    assert planned["name"] == "lab"
    assert planned["endpoint"] == wire.UNKNOWN
    assert planned["vpcConfig"] == {"subnetIds": [wire.UNKNOWN], "clusterSecurityGroupId": wire.UNKNOWN, "vpcId": wire.UNKNOWN}


def test_a_previewed_update_knows_what_stays_and_not_what_moves(aws: Instance):
    old = {"name": "gpu", "userData": "b25l"}
    id_, state = aws.create(t.LAUNCH_TEMPLATE, **old)
    same = aws.update(t.LAUNCH_TEMPLATE, id_, old, preview=True, **old)
    assert (same["latestVersion"], same["arn"]) == (1, state["arn"])
    moved = aws.update(t.LAUNCH_TEMPLATE, id_, old, preview=True, name="gpu", userData="dHdv")
    assert (moved["latestVersion"], moved["arn"]) == (wire.UNKNOWN, state["arn"])
    assert aws.update(t.LAUNCH_TEMPLATE, id_, old, name="gpu", userData="dHdv")["latestVersion"] == 2


def test_default_tags_of_the_provider_come_with_the_resources_own(cloud: Cloud, aws_port: Serving):
    instance = Instance(aws_port, region="us-east-1", defaultTags={"tags": {"a": "provider", "b": "provider"}})
    id_, state = instance.create(t.VPC, cidrBlock="10.0.0.0/16", tags={"a": "own"})
    assert state["tagsAll"] == {"a": "own", "b": "provider"}
    assert cloud.world.store.of_kind(t.VPC, "aws/123456789012/us-east-1")[0].tags == state["tagsAll"]
    assert instance.read(t.VPC, id_)[2]["tags"] == {"a": "own"}


def test_reading_by_id_alone_gives_inputs_and_outputs_for_an_import(aws: Instance):
    id_, state = aws.create(t.VPC, cidrBlock="10.0.0.0/16", tags={"a": "b"})
    found, properties, inputs = aws.read(t.VPC, id_)
    assert (found, properties) == (id_, state)
    assert inputs == {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}


def test_what_the_cloud_made_by_itself_can_be_imported_too(cloud: Cloud, aws: Instance):
    cloud.group(cloud.cluster())
    (instance,) = cloud.running()
    found, _, inputs = aws.read(t.INSTANCE, instance.id)
    assert found == instance.id
    assert inputs["instanceType"] == "m7i.large"


def test_a_refusal_reaches_the_engine_with_code_and_as_simulated(aws: Instance):
    with pytest.raises(grpc.RpcError, match=r"simulated aws: InvalidVpcID\.NotFound"):
        aws.create(t.SUBNET, vpcId="vpc-none", cidrBlock="10.0.0.0/20")


def test_a_deleted_object_may_be_deleted_again(aws: Instance):
    id_, _ = aws.create(t.VPC, cidrBlock="10.0.0.0/16")
    aws.delete(t.VPC, id_)
    aws.delete(t.VPC, id_)
    assert aws.read(t.VPC, id_)[0] == ""


def test_a_node_group_that_did_not_come_up_stays_in_the_engines_state(cloud: Cloud, aws: Instance):
    cluster = cloud.cluster()
    cloud.world.faults.add("capacity", {"machine": "m7i.large"})
    with pytest.raises(grpc.RpcError) as caught:
        aws.create(
            t.NODE_GROUP, clusterName="lab", nodeRoleArn=cluster.state["roleArn"], subnetIds=[cluster.state["vpcConfig"]["subnetIds"][0]],
            scalingConfig={"minSize": 1, "desiredSize": 1, "maxSize": 1}, instanceTypes=["m7i.large"], nodeGroupName="system",
        )  # fmt: skip
    raw = dict(caught.value.trailing_metadata())["grpc-status-details-bin"]
    details = provider_pb2.ErrorResourceInitFailed()
    assert Status.FromString(raw).details[0].Unpack(details)
    assert details.id == "lab:system"
    assert "sufficient m7i.large capacity" in details.reasons[0]
    assert wire.decode(details.properties)["status"] == "CREATE_FAILED"


def test_a_change_of_a_fixed_property_replaces_and_of_another_updates(aws: Instance):
    replaced = aws.diff(t.VPC, {"cidrBlock": "10.0.0.0/16"}, {"cidrBlock": "10.1.0.0/16"})
    assert list(replaced.replaces) == ["cidrBlock"]
    updated = aws.diff(t.VPC, {"cidrBlock": "10.0.0.0/16"}, {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}})
    assert list(updated.replaces) == []
    assert list(updated.diffs) == ["tags"]


@pytest.mark.parametrize(("marks", "first"), [({}, True), ({"__defaults": ["name"]}, False)])
def test_an_object_of_a_given_name_is_deleted_before_its_successor_is_made(aws: Instance, marks: dict[str, Any], first: bool):
    answer = aws.diff(t.CLUSTER, {"name": "lab", "roleArn": "a", **marks}, {"name": "lab", "roleArn": "b", **marks})
    assert answer.deleteBeforeReplace is first


def test_ignored_changes_are_no_changes(aws: Instance):
    sizes = {"minSize": 0, "maxSize": 4}
    old, new = {"scalingConfig": {**sizes, "desiredSize": 3}}, {"scalingConfig": {**sizes, "desiredSize": 0}}
    assert aws.diff(t.NODE_GROUP, old, new).changes == provider_pb2.DiffResponse.DIFF_SOME
    assert aws.diff(t.NODE_GROUP, old, new, ("scalingConfig.desiredSize",)).changes == provider_pb2.DiffResponse.DIFF_NONE


def test_known_data_sources_answer_for_their_connection_and_others_not_at_all(aws: Instance):
    def ask(tok: str) -> dict[str, Any]:
        answer = aws.stub.Invoke(provider_pb2.InvokeRequest(tok=tok))
        return wire.decode(getattr(answer, "return"))

    assert ask("aws:index/getCallerIdentity:getCallerIdentity")["accountId"] == "123456789012"
    assert ask("aws:index/getAvailabilityZones:getAvailabilityZones")["names"][0] == "us-east-1a"
    with pytest.raises(grpc.RpcError) as caught:
        ask("aws:ec2/getAmi:getAmi")
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_secrets_come_back_wrapped_and_never_reach_the_journal(cloud: Cloud, kubernetes: Instance):
    given = {"metadata": {"name": "s"}, "stringData": {"password": wire.secret("hunter2")}}
    id_, state = kubernetes.create(SECRET, **given)
    assert state["stringData"] == {"password": wire.secret("hunter2")}
    assert kubernetes.read(SECRET, id_, **given)[2]["stringData"] == {"password": wire.secret("hunter2")}
    assert "hunter2" not in json.dumps(kubernetes.read(SECRET, id_))
    assert b"hunter2" not in (cloud.home / "journal.jsonl").read_bytes()


def test_a_kubernetes_object_is_made_in_the_cluster_of_its_kubeconfig(cloud: Cloud, kubernetes: Instance):
    id_, state = kubernetes.create(CONFIG_MAP, "settings", metadata={"namespace": "kube-system"}, data={"a": "b"})
    assert id_.startswith("kube-system/settings-")
    assert state["metadata"]["annotations"]["pulumi.com/autonamed"] == "true"
    assert [r.id for r in cloud.world.store.of_kind(CONFIG_MAP, "k8s/aws/123456789012/us-east-1/lab")] == [id_]


def test_an_update_of_an_object_drops_what_is_no_longer_given(kubernetes: Instance):
    metadata = {"name": "c"}
    id_, _ = kubernetes.create(CONFIG_MAP, metadata=metadata, data={"a": "1"}, immutable=False)
    state = kubernetes.update(CONFIG_MAP, id_, {}, metadata=metadata, data={"b": "2"})
    assert state["data"] == {"b": "2"}
    assert "immutable" not in state


def test_a_release_says_that_nothing_was_rendered_and_its_name_is_taken(kubernetes: Instance):
    given: dict[str, Any] = {
        "name": "op",
        "chart": "gpu-operator",
        "namespace": "kube-system",
        "repositoryOpts": {"repo": "https://x.invalid"},
    }
    id_, state = kubernetes.create(k8s.RELEASE, **given)
    assert (id_, state["status"]["status"]) == ("kube-system/op", "deployed")
    assert "nothing is rendered" in state["description"]
    with pytest.raises(grpc.RpcError, match="cannot re-use a name"):
        kubernetes.create(k8s.RELEASE, **given)


def test_a_release_needs_its_namespace_or_makes_it(kubernetes: Instance):
    given: dict[str, Any] = {"name": "op", "chart": "oci://registry.invalid/op", "namespace": "gpu"}
    with pytest.raises(grpc.RpcError, match='namespaces "gpu" not found'):
        kubernetes.create(k8s.RELEASE, **given)
    assert kubernetes.create(k8s.RELEASE, createNamespace=True, **given)[0] == "gpu/op"


def test_a_custom_object_of_any_kind_is_kept(kubernetes: Instance):
    token = "kubernetes:kueue.x-k8s.io/v1beta1:ClusterQueue"
    id_, state = kubernetes.create(token, apiVersion="kueue.x-k8s.io/v1beta1", kind="ClusterQueue", metadata={"name": "q"}, spec={"a": 1})
    assert id_ == "q"
    assert state["spec"] == {"a": 1}


def test_a_kubeconfig_that_leads_off_the_loopback_is_refused(kubernetes_port: Serving):
    with pytest.raises(grpc.RpcError, match="outside of the simulated world"):
        Instance(kubernetes_port, kubeconfig=kubeconfig("https://example.com"))


@pytest.mark.failure("H6")
def test_a_release_on_a_dead_cluster_cannot_be_deleted_even_leniently(cloud: Cloud, kubernetes_port: Serving):
    cluster = cloud.cluster()
    lenient = Instance(kubernetes_port, kubeconfig=kubeconfig(cluster.state["endpoint"]), deleteUnreachable="true")
    id_, _ = lenient.create(CONFIG_MAP, metadata={"name": "c"})
    lenient.create(k8s.RELEASE, name="op", chart="oci://registry.invalid/op")
    cloud.delete(cluster)
    lenient.delete(CONFIG_MAP, id_)
    with pytest.raises(grpc.RpcError, match="unreachable"):
        lenient.delete(k8s.RELEASE, "default/op")


@pytest.mark.failure("H6")
def test_a_release_goes_with_its_cluster_without_a_call(cloud: Cloud, kubernetes: Instance):
    kubernetes.create(k8s.RELEASE, name="op", chart="oci://registry.invalid/op")
    cloud.delete(cloud.all(t.CLUSTER)[0])
    assert not [r for r in cloud.world.store if r.kind == k8s.RELEASE]


def test_a_cut_off_api_server_answers_nothing(cloud: Cloud, kubernetes: Instance):
    cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    with pytest.raises(grpc.RpcError, match="configured Kubernetes cluster is unreachable"):
        kubernetes.create(CONFIG_MAP, metadata={"name": "c"})


def test_a_number_for_a_string_is_handed_on_as_the_bridge_does(aws: Instance):
    given = {
        "clusterName": "c", "nodeRoleArn": "r", "subnetIds": ["s"], "scalingConfig": {"minSize": "0", "desiredSize": 0, "maxSize": 1},
        "launchTemplate": {"id": "lt-1", "version": 2},
    }  # fmt: skip
    answer = aws.check(t.NODE_GROUP, **given)
    assert not answer.failures
    checked = wire.decode(answer.inputs)
    assert (checked["launchTemplate"]["version"], checked["scalingConfig"]["minSize"]) == ("2", 0)


def test_a_failure_inside_a_property_stands_in_its_reason_alone(aws: Instance):
    (failure,) = aws.check(t.LAUNCH_TEMPLATE, networkInterfaces=[{"deviceIndex": "x"}]).failures
    assert (failure.property, failure.reason) == ("", "networkInterfaces[0].deviceIndex: a string where a whole number belongs")


def test_kubernetes_coerces_nothing(kubernetes: Instance):
    assert kubernetes.check(CONFIG_MAP, metadata={"name": "c"}, data={"a": 1}).failures
