"""Study: partitions."""
