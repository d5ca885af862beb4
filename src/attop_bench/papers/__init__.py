"""The four papers' tables and figures rebuilt, the printed number beside ours and a verdict."""
