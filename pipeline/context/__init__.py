"""From hits to the text that a prompt holds: pure, after ranking, so that document rankings never depend on it.

bare.py     the hits themselves         window.py   with their neighbours
parent.py   the section or document     merging.py  text that the context holds already
"""

from pipeline.context.bare import Chunk
from pipeline.context.parent import Parent
from pipeline.context.window import Window

__all__ = ["Chunk", "Parent", "Window"]
