"""Metrics of the shift study: reliability, transfer, audits, intervals. Pure functions on plain data."""
