"""Many threads ask for schemas at once, as the engine's calls do: the SDKs import lazily, and none may see a module half imported."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading
from scripts.sandbox import sdk_schema
sys.setswitchinterval(1e-5)
failed = []
start = threading.Barrier(8)
def ask(token):
    start.wait()
    try:
        schema = sdk_schema.resource(token)
        assert schema is not None
        todo = [s.record for s in schema.inputs.shapes.values() if s.record]
        for record in todo:
            sdk_schema.properties(record)
    except Exception as error:
        failed.append(f"{token}: {error!r}")
tokens = ["kubernetes:core/v1:Namespace", "kubernetes:helm.sh/v3:Release", "kubernetes:core/v1:ConfigMap", "aws:eks/nodeGroup:NodeGroup"] * 2
threads = [threading.Thread(target=ask, args=(token,)) for token in tokens]
[t.start() for t in threads]; [t.join() for t in threads]
print(failed)
"""


def test_schemas_are_read_by_many_threads_of_a_fresh_process() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
