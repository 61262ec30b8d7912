"""AWS as boto3 calls it."""
