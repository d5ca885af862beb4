"""The benchmark: configuration, plan, one training job, records, evaluation."""
