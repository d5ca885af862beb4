"""What the tables say: summaries, comparisons, answers; no figure, no HTML."""
