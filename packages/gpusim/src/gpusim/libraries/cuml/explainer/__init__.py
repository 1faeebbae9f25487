"""Explaining models: refused, there is nothing to stand on."""

from gpusim.importing.names import refused_class, refuser

KernelExplainer = refused_class("cuml.explainer.KernelExplainer")
PermutationExplainer = refused_class("cuml.explainer.PermutationExplainer")
TreeExplainer = refused_class("cuml.explainer.TreeExplainer")
__all__ = ["KernelExplainer", "PermutationExplainer", "TreeExplainer"]
__getattr__ = refuser("cuml.explainer")
