"""Odds and ends that other libraries look for."""
