"""The nouns of Orch as frozen values. No input, no output, no library."""
