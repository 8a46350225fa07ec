"""docs/reference.md, made from the programs, the files that they write, and the schemas."""
