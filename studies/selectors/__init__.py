"""Selectors of hyper-parameters, measured by studies/selectors/rule.md.

    python -m studies.selectors.train FOLDER SCORES [--family LightGBM] [--sets development]
    python -m studies.selectors.judge SCORES...

`train` fits each setting once a fold and keeps the scores of the inner folds and of the test part, from which
`judge` evaluates every selector.
"""
