"""Our kinds of tasks: the values each recipe is asked with, the truth, and where texts can be planted."""
