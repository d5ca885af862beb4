"""Native categories of boosters, beside one-hot columns."""
