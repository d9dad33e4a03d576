"""The semantic layer: which old memories are like this one?"""
