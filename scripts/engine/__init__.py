"""Pulumi's own engine: finding or building it, running it on the real or the simulated clouds, recovering what an interrupt left."""
