"""Baselines of pAp@k: classifiers combined, or trained on the items at the top."""
