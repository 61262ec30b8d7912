"""What a teardown asks of each cloud; one module or package a cloud behind `cloud.Cloud`."""
