"""EmoHarbor: is this chatbot's emotional support right for this person?"""

__version__ = "0.1.0"
__all__ = ["__version__"]
