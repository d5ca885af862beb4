"""TopStack beside methods that are searched, by studies/searched/rule.md.

    python -m studies.searched.train FOLDER SCORES [--folds 1 2 3 4] [--beside]
    python -m studies.searched.judge --data FOLDER --scores SCORES [--add first] [--write second]
    python -m studies.searched.lengths --read second

`train` fits each method and candidate once a fold and keeps its scores, so that `judge` evaluates any
selector and any ensemble of candidates. It goes on where it was stopped. FOLDER holds the files as
studies.gains names them.
"""
