"""RMM for PyTorch, which is not simulated: None, as without a GPU."""

rmm_torch_allocator = None
