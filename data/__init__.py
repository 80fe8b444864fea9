"""The games as TOML files: missions, task cards, decks. No code."""
