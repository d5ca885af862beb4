"""Tables and figures of papers rebuilt, the printed number beside ours and a verdict."""
