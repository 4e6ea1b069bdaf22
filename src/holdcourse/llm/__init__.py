"""The one door to language models: requests, replies, the ledger and the providers behind it."""
