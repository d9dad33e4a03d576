"""Pure: what of the memory goes before an answer, and in which form."""
