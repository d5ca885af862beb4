from ._catboost import CatBoostMetric as CatBoostMetric
from ._evaluation import EvaluationMetric as EvaluationMetric
from ._lightgbm import LightGBMMetric as LightGBMMetric
from ._lightgbm import LightGBMObjective as LightGBMObjective
from ._objective import Objective as Objective
from ._torch import TopLoss as TopLoss
from ._xgboost import XGBoostMetric as XGBoostMetric
from ._xgboost import XGBoostObjective as XGBoostObjective

__all__: list[str]
