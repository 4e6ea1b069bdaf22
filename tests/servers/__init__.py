"""Servers that the tests talk to: real HTTP on the loopback interface, nothing else."""
