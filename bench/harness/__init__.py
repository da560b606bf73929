"""What is common to all rows: rounds, statistics, guards, limits."""
