"""Ways in: each translates names, schemas, error texts and exit codes, and calls the same facade."""
