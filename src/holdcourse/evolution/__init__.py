"""How a persistent instruction evolves: the instruction graph, its edits, and the flat-text baseline."""
