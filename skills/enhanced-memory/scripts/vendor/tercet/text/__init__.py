"""Pure work on text: lines, Markdown chunks, front matter, terms, dates, decoding.

Nothing here reads a file, a clock or a setting. Import the module that holds the concept,
e.g. ``from tercet.text.terms import terms``.
"""
