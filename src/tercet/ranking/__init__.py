"""Pure ranking: one file per idea, no input or output, no clock.

``pipeline`` is the door for a layer: it says how many candidates to fetch, takes what the layer
fetched and returns the order with its reasons. ``presets`` holds the formulas as data.
"""
