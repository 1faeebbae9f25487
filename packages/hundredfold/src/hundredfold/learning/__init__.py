"""What a learner does and is told: problems, checks and hints, progress, the report."""
