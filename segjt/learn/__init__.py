"""scikit-learn estimators on the kernels and the pipeline."""
