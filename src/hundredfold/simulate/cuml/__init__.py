"""A stand-in for cuML on scikit-learn, with cuML's defaults, types and refusals."""
