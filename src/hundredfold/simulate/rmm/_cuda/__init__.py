"""The devices as RMM asks CUDA about them."""
