"""Other memories taken over: their formats read (pure), and their facts made entries of the journal."""
