from .evaluation import EvaluationMetric as EvaluationMetric
from .lightgbm import LightGBMMetric as LightGBMMetric
from .lightgbm import LightGBMObjective as LightGBMObjective
from .objective import Objective as Objective
from .xgboost import XGBoostMetric as XGBoostMetric
from .xgboost import XGBoostObjective as XGBoostObjective

__all__: list[str]
