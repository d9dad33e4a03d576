"""The memory for any MCP client: tools, resources and a prompt, over stdio and over HTTP."""
