"""Tables and figures of papers rebuilt: the printed number, ours, and a verdict."""
