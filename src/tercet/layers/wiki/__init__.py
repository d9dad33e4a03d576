"""What is durably known about people and topics: notes in a vault, found by words alone."""
