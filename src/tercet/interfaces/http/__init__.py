"""The service: one process that holds model and index, and answers over HTTP and MCP."""
