"""What theory and fitted models say about a result: bounds, certificates, checks."""
