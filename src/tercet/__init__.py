"""Long-term memory for AI agents, in three layers."""
