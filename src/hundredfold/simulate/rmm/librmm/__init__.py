"""The compiled part of RMM."""
