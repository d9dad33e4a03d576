"""The vault over a folder, and the one in memory that stands in for it, keep the same contract."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tercet.adapters.vault import FolderVault
from tercet.testing.memory_vault import MemoryVault
from tercet.testing.vault_contract import VaultContract


class TestFolderVault(VaultContract):
    @pytest.fixture
    async def vault(self, tmp_path: Path) -> AsyncIterator[FolderVault]:
        vault = FolderVault(tmp_path / "vault", "main")
        yield vault
        await vault.close()

    @pytest.fixture
    def editor(self, vault: FolderVault, tmp_path: Path) -> Callable[[str, bytes | None], None]:
        def edit(path: str, data: bytes | None) -> None:
            place = tmp_path / "vault" / path
            if data is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)

        return edit


class TestMemoryVault(VaultContract):
    @pytest.fixture
    def vault(self) -> MemoryVault:
        return MemoryVault()

    @pytest.fixture
    def editor(self, vault: MemoryVault) -> Callable[[str, bytes | None], None]:
        return lambda path, data: vault.remove(path) if data is None else vault.put(path, data)
