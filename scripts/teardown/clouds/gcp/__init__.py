"""Google Cloud: what a teardown finds and ends there."""
