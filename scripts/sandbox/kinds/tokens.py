"""Type tokens of Kubernetes objects that more than one part of the world speaks of. Each cloud has its own in its package."""

NODE = "kubernetes:core/v1:Node"
POD = "kubernetes:core/v1:Pod"
NAMESPACE = "kubernetes:core/v1:Namespace"
RELEASE = "kubernetes:helm.sh/v3:Release"
