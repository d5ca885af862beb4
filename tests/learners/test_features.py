"""Features that cannot be used: the message holds the lines that help, and the lines do."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from attop import BundleRanker, GDPApK, PNormPush, SGDAtK, TopPush

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] > 1).astype(int)


def test_sparse_features_name_the_two_lines():
    rows = csr_array(X)
    for call in (lambda: PNormPush().fit(rows, Y), lambda: PNormPush().fit(X, Y).decision_function(rows)):
        with pytest.raises(TypeError, match="PNormPush does not take sparse input, got a csr_a") as caught:
            call()
        assert "    OneHotEncoder(sparse_output=False)\n" in str(caught.value)
        assert "    ColumnTransformer(..., sparse_threshold=0)\n" in str(caught.value)
        assert "GDPApK, BundleRanker or SGDAtK" in str(caught.value)


def test_those_named_as_taking_sparse_features_do():
    for model in (GDPApK(top=2), BundleRanker(top=2), SGDAtK()):
        model.fit(csr_array(X), Y)
        np.testing.assert_allclose(model.decision_function(csr_array(X)), model.decision_function(X))


def test_missing_values_name_the_two_lines():
    holes = X.copy()
    holes[::9, 1] = np.nan
    calls = {
        "GDPApK": lambda: GDPApK(top=2).fit(holes, Y),
        "TopPush": lambda: TopPush().fit(X, Y).decision_function(holes),
        "SGDAtK": lambda: SGDAtK().partial_fit(holes, Y, classes=[0, 1]),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=rf"contains NaN: {name} does not take missing") as caught:
            call()
        line = str(caught.value).splitlines()[-1].strip()
        model = eval(line.replace("...", ""), None, {**globals(), "make_pipeline": make_pipeline})
        assert np.isfinite(model.fit(holes, Y).decision_function(holes)).all()
    assert SimpleImputer
    assert StandardScaler


def test_text_names_the_two_lines():
    table = pd.DataFrame(X).add_prefix("x").assign(country=RNG.choice(["NG", "PE"], 80))
    with pytest.raises(ValueError, match=r"could not convert string .*TopPush takes numbers only") as caught:
        TopPush().fit(table, Y)
    encode, chain = (line.strip() for line in str(caught.value).splitlines()[-2:])
    known = {"OneHotEncoder": OneHotEncoder, "make_column_selector": make_column_selector}
    known["make_column_transformer"] = make_column_transformer
    exec(encode, known)
    prepare = eval(chain, known)
    assert np.isfinite(make_pipeline(prepare, TopPush()).fit(table, Y).decision_function(table)).all()
