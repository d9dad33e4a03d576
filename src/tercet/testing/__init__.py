"""Contract suites and stand-ins, for ourselves and for whoever writes an engine of their own.

Import the modules themselves: ``tercet.testing.engine_contract`` needs pytest,
``tercet.testing.memory_engine`` needs only numpy.
"""
