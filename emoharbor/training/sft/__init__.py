"""Supervised fine-tuning: a LoRA adapter on a model's base, from dialogues of its role."""
