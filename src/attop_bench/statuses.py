"""How a training run can have ended, in the word that its record, the tables and the report use."""

__all__ = ["FAILED", "NOT_APPLICABLE", "OK", "STATUSES"]

OK = "ok"
#: There were no data to train on, which is no fault of the method.
NOT_APPLICABLE = "not_applicable"
#: Those that another try may change.
FAILED = ("error", "timeout", "memory", "diverged")
STATUSES = (OK, NOT_APPLICABLE, *FAILED)
