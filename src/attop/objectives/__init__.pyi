from .evaluation import EvaluationMetric as EvaluationMetric
from .lightgbm import LightGBMMetric as LightGBMMetric
from .lightgbm import LightGBMObjective as LightGBMObjective
from .objective import Objective as Objective

__all__: list[str]
