"""Everything that touches the world: engines, ledger, embedders, files. Each imports its own library, late."""
