"""The composite reward of the drift paper (§4.6): eight components of form, one of content."""
