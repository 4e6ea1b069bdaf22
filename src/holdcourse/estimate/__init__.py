"""What a study will cost before it is run: calls, tokens, dollars and hours, as a range."""
