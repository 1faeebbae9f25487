"""A stand-in for what notebooks use of pylibcudf: Arrow interchange and a few functions."""
