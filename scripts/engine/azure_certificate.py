"""The certificate of an AKS cluster's API server, which is in no output of the cluster: AKS lists it for the cluster's users."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from components.azure.kubeconfig import endpoint_and_authority
from scripts.arm_paths import TYPES
from scripts.engine.azure_session import Arm, NoCredentials, NotThere
from scripts.engine.cluster_server import Server
from scripts.errors import Failed


def authority_by(environment: Mapping[str, str]) -> Callable[[Server], str]:
    """Gives a cluster's certificate, base64. Raises Failed when Azure does not list it."""

    def authority(server: Server) -> str:
        if server.authority:
            return server.authority
        version = TYPES["azure-native:containerservice:ManagedCluster"].version
        try:
            listed = Arm(environment).post(f"{server.id}/listClusterUserCredential", version)
            return endpoint_and_authority(str(listed["kubeconfigs"][0]["value"]))[1]
        except (NoCredentials, NotThere, LookupError, RuntimeError) as error:
            raise Failed(
                f"Azure does not list how to reach cluster {server.cluster}. Nothing was changed. Check credentials and rights."
            ) from error

    return authority
