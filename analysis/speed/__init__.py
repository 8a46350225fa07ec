"""Whether a change of the sources made the programs slower: see docs/speed.md."""
