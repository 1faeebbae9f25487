"""scikit-learn's pipelines, as cuML hands them out."""

from sklearn.pipeline import Pipeline, make_pipeline

__all__ = ["Pipeline", "make_pipeline"]
