"""The API doors: what the clouds' own client SDKs call, answered over HTTP on the loopback."""
