"""Getting it to run: what this machine has and lacks, the packages that fit, the lab. Importable before anything is installed."""
