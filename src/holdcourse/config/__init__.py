"""Configuration: a typed schema for conf/ (`schema`), and its composition by Hydra (`compose`)."""
