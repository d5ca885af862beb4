"""Selectors of hyper-parameters, measured by studies/selectors/rule.md.

    python -m studies.selectors.train FOLDER SCORES [--family LightGBM] [--sets development]
    python -m studies.selectors.judge SCORES...
    python -m studies.selectors.repeats FOLDER SCORES

`train` fits each setting once a fold and keeps the scores of the inner folds and of the test part, from which
`judge` evaluates every selector. `values.csv` has the mean precision of each set; extra trees got through 16
of the 48. `repeats` draws the inner folds five times.
"""
