"""Recorded dialogues judged again, by other judges, more often, or exchange by exchange.

Nothing is imported here: what shows a judging does without what judges.
"""
