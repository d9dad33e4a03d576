"""The inspector: pages of the service on which people look into a memory and put it right."""
