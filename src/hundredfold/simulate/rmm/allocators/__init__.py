"""RMM as the allocator of other libraries."""
