"""Notes of a vault as text: read, linked, edited and named; pure."""
