"""From a turn to entries: transcripts, selection, redaction of what is kept, duplicates, the worker.

Import the module that holds the concept, e.g. ``from tercet.capture.transcripts import read_transcript``.
"""
