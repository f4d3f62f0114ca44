"""From dialogues to a better supporter: training data, and what is trained on it."""
