"""What a person sees in a terminal: tables, dialogues, progress. Reads records, calls no agent."""
