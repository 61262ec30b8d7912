"""What the idle watch runs on AWS Lambda: Python, the runtime's own boto3, and two plain modules of this project; nothing else."""
