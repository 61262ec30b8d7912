"""Counters of requests by the model servers that send them, each with where its name is written down.

Counters of a histogram (`…_count`) count requests too. Not established, and therefore missing: NVIDIA NIM, TensorFlow Serving, servers of
one's own; a cluster that only they serve stays unknown while one of their pods may be asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

SERVED: Mapping[str, str] = {
    "vllm:request_success_total": "vLLM documentation, Production Metrics (a counter, to whose name the Prometheus client adds `_total`)",
    "nv_inference_request_success": "Triton documentation, Metrics",
    "nv_inference_request_failure": "Triton documentation, Metrics",
    "tgi_request_count": "Text Generation Inference documentation, Metrics",
    "sglang:num_requests_total": "SGLang, metrics collector in its source",
    "request_predict_seconds_count": "KServe, metrics of its Python model server",
    "revision_request_count": "Knative documentation, Service metrics (Serving before 1.19)",
    "kn_serving_invocation_duration_seconds_count": "Knative 1.20 documentation, Knative Serving Metrics (kn.serving.invocation.duration)",
    "ray_serve_num_http_requests_total": "Ray, dashboard and tests of Ray Serve (counters end in `_total` since 2.10)",
    "ray_serve_num_grpc_requests_total": "Ray, as for HTTP",
    "ts_inference_requests_total": "TorchServe documentation, Metrics",
    "dynamo_frontend_requests_total": "NVIDIA Dynamo, metrics of its frontend in its source",
}
"""Name to source."""
