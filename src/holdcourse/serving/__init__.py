"""Servers of open models: started by the job that needs one, shared, stopped when nobody uses them."""
