"""The whole error tree of Tercet.

::

    TercetError
    ├── PermanentError                 a mistake to mend: never retried
    │   ├── ConfigurationError         a setting, a model or a key is wrong   (ValueError)
    │   │   ├── MissingExtraError      an optional package is not installed   (ImportError)
    │   │   └── SpaceMismatchError     vectors of two embedding spaces would mix
    │   ├── EmbedderContractError      a model broke its promise (length, NaN, count)
    │   │   └── ModelIntegrityError    a model file is not the pinned one
    │   ├── InvalidInputError          a query, ref, filter or option is wrong (ValueError)
    │   │   ├── IdentityError          an agent id or session key is malformed
    │   │   └── AmbiguousRefError      a ref fits more than one thing
    │   ├── ExtractorContractError     a language model refused, or answered nonsense twice
    │   ├── WriteConflictError         a note was changed by somebody else meanwhile
    │   ├── NotFoundError              the thing named is not there           (LookupError)
    │   └── StoreFormatError           the store was written by a newer Tercet
    └── TransientError                 may be well again later: degrade, or retry with a cap
        ├── EmbedderUnavailableError   refused, time-out, 5xx, quota, model not pulled
        ├── RerankerUnavailableError   the same for a reranker
        ├── ExtractorUnavailableError  the same for a language model
        ├── VaultUnavailableError      the folder of notes cannot be read or written
        ├── EngineUnavailableError     the vector store is missing, corrupt or locked
        │   └── EngineRefusedError     its service denies access: work waits until a setting is mended
        ├── LedgerBusyError            another process holds the ledger too long
        └── DeadlineError              the answer came too late               (TimeoutError)

Only transient errors are degraded around in silence of the caller (and said so in the answer);
permanent ones also leave search working lexically, but are shown by ``status`` and ``doctor``
until they are mended.
"""

from __future__ import annotations


class TercetError(Exception):
    """Base of every error a user of Tercet may meet; the message is one line with the mend."""


class PermanentError(TercetError):
    """A mistake in configuration, input or data; trying again changes nothing."""


class ConfigurationError(PermanentError, ValueError):
    """A setting is wrong."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional package is needed; the message names ``pip install tercet[extra]``."""


class SpaceMismatchError(ConfigurationError):
    """The index holds vectors of another embedding space than the configured embedder makes."""


class EmbedderContractError(PermanentError):
    """An embedder answered with something it must not: wrong length, count, NaN, or a refusal."""


class ModelIntegrityError(EmbedderContractError):
    """A model file differs from the pinned one."""


class InvalidInputError(PermanentError, ValueError):
    """A query, ref, filter or option cannot be understood."""


class IdentityError(InvalidInputError):
    """An agent id or session key is malformed."""


class AmbiguousRefError(InvalidInputError):
    """A ref fits more than one passage or folder."""


class ExtractorContractError(PermanentError):
    """A language model refused, or its answer was not what was asked for, also when asked again."""


class WriteConflictError(PermanentError):
    """A note is not what the writer last read; nothing was written: read it again, then write."""


class NotFoundError(PermanentError, LookupError):
    """The thing named is not there."""


class StoreFormatError(PermanentError):
    """The store on disk was written by a newer version, or is not a Tercet store."""


class TransientError(TercetError):
    """A part is down now and may be well later."""


class EmbedderUnavailableError(TransientError):
    """The embedder cannot be reached, is over quota, or has not pulled its model."""


class RerankerUnavailableError(TransientError):
    """The reranker cannot be reached or did not answer in time."""


class ExtractorUnavailableError(TransientError):
    """A language model cannot be reached, is over quota, or did not answer in time."""


class VaultUnavailableError(TransientError):
    """The folder of notes cannot be read or written now."""


class EngineUnavailableError(TransientError):
    """The vector store is missing, corrupt or locked."""


class EngineRefusedError(EngineUnavailableError):
    """The service that holds the vector store denies access as it is set: bucket, key or region are wrong.

    Only a changed setting mends it. It degrades and waits like an outage all the same, so that a key that
    was changed too early loses nothing.
    """


class LedgerBusyError(TransientError):
    """The ledger was locked by another process for longer than the time allowed."""


class DeadlineError(TransientError, TimeoutError):
    """The work was not done by its deadline; a late result is dropped."""
