"""Folders of Markdown notes on this machine."""

from tercet.adapters.vault.folder import FolderVault

__all__ = ["FolderVault"]
