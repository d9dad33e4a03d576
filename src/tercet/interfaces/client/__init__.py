"""The service as a memory: found through a file in the home, spoken to over HTTP."""
