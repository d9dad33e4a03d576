"""What the core asks of the world: Protocols over plain types and numpy arrays.

A third party implements one of these and proves it with the contract suite in ``tercet.testing``.
Optional abilities are Protocols of their own, asked for with ``isinstance``.
"""

from tercet.ports.accesses import Accesses, AccessKind, AccessLog, WeakQuery
from tercet.ports.capture import (
    Change,
    EntryState,
    Extracted,
    Extractor,
    Forgotten,
    IdentityLinks,
    Inbox,
    InboxStatus,
    Journal,
    Recorded,
    SeenAgain,
    Stored,
    Unworked,
)
from tercet.ports.embedding import Embedder, Reranker
from tercet.ports.engine import DisposableEngine, Engine, EngineStats, ReembeddableEngine
from tercet.ports.extraction import SessionDigest, SessionExtractor, SessionFact, SessionLine
from tercet.ports.files import FileContent, FileStore, FoundFile, Listing, SkippedFile
from tercet.ports.layers import LayerContext, LayerFactory
from tercet.ports.ledger import (
    EmbeddingCache,
    FileRecord,
    Ledger,
    Manifest,
    PassageRecord,
    PassageState,
    RootRecord,
    TermCounts,
)
from tercet.ports.locking import WriterLock
from tercet.ports.manager import Clock, EventSink, MemorySearchManager, PromptNotes
from tercet.ports.vault import Vault, VaultFile, VaultText

__all__ = [
    "AccessKind",
    "AccessLog",
    "Accesses",
    "Change",
    "Clock",
    "DisposableEngine",
    "Embedder",
    "EmbeddingCache",
    "Engine",
    "EngineStats",
    "EntryState",
    "EventSink",
    "Extracted",
    "Extractor",
    "FileContent",
    "FileRecord",
    "FileStore",
    "Forgotten",
    "FoundFile",
    "IdentityLinks",
    "Inbox",
    "InboxStatus",
    "Journal",
    "LayerContext",
    "LayerFactory",
    "Ledger",
    "Listing",
    "Manifest",
    "MemorySearchManager",
    "PassageRecord",
    "PassageState",
    "PromptNotes",
    "Recorded",
    "ReembeddableEngine",
    "Reranker",
    "RootRecord",
    "SeenAgain",
    "SessionDigest",
    "SessionExtractor",
    "SessionFact",
    "SessionLine",
    "SkippedFile",
    "Stored",
    "TermCounts",
    "Unworked",
    "Vault",
    "VaultFile",
    "VaultText",
    "WeakQuery",
    "WriterLock",
]
