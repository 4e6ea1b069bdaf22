"""τ²-bench telecom: tasks, the shift protocol, simulations and failure digests."""
