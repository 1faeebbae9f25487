"""What others measured on their GPUs and published, beside the bound and the estimate of the same work.

`measurements.csv`  the figures, each with its source; no code is kept here
`table`             reads it
`kernels`           kernels of our own, after the descriptions at the sources
`workloads`         which kernel a measurement is of, launched how
`ratios`            bound and estimate of each; ``python -m published.ratios`` writes them as JSON, for the page of the site
"""
