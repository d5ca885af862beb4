"""All learners of the library and of the studies, with settings that train in milliseconds."""

from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from studies.papk2020.baselines import GreedyPApK, SelectPApK

from attop import from_papers, learners

#: Settings that are not the defaults, for speed, and for optima found to the digits that are compared;
#: every estimator without an entry is tested as it is.
CHEAP = {
    "TopStack": {
        "cv": 2,
        "estimators": [
            ("linear", LogisticRegression()),
            ("tree", DecisionTreeClassifier(max_depth=3, min_samples_leaf=5)),
        ],
    },
    "BundleRanker": {"tol": 1e-8},
    "GDPApK": {"max_iter": 60},
    "GDRanker": {"max_iter": 60},
    "InfinitePush": {"lam": 1.0, "tol": 1e-8},
    "PNormPush": {"max_iter": 20},
    "PatMat": {"lam": 1.0, "tol": 1e-10},
    "PerceptronAtK": {"epochs": 5},
    "ROCSVM": {"tol": 1e-8},
    "SGDAtK": {"epochs": 5},
    "SVMPAUC": {"tol": 1e-8},
    "SVMPerf": {"tol": 1e-10},
    "SoftTop": {"cv": 2},
    "TopPush": {"lam": 1.0, "tol": 1e-6},
    "GreedyPApK": {"n_classifiers": 3},
}
#: What takes any features its members take, and fails as they do: not a ranker of numbers like the others.
COMPOSITES = ["TopStack"]
#: What needs a package of an extra; its own tests, which are skipped without, have the checks of all.
OPTIONAL = ["TopBooster"]
#: What is exported beside them.
OTHERS = [
    "ConstantModelWarning",
    "EASE",
    "FactorRanker",
    "PositiveClassWarning",
    "PopularityRanker",
    "Ranker",
    "TopThreshold",
    "predict_top",
    "top_threshold",
]
CLASSES = {
    name: getattr(package, name)
    for package in (learners, from_papers)
    for name in package.__all__
    if name not in OTHERS
} | {"GreedyPApK": GreedyPApK, "SelectPApK": SelectPApK}
NAMES = sorted(CLASSES.keys() - {*COMPOSITES, *OPTIONAL})


def run_check(check, estimator, request):
    """Run a check of scikit-learn, whose sources pytest would parse for the traceback of a failure."""
    try:
        check(estimator)
    except Exception as error:
        if not request.node.get_closest_marker("xfail"):
            raise
        raise error.with_traceback(None) from None  # it is expected


def make(name, **changes):
    """Return a new, cheap estimator."""
    kind = CLASSES[name]
    settings = {**CHEAP.get(name, {}), **changes}
    return kind(**{key: value for key, value in settings.items() if key in kind().get_params()})
