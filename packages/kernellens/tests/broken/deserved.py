"""What the lens says of right kernels of the set, each with the reason why it deserves it; of all others it says nothing."""

DESERVED = {
    "atomics_two_dimensional": {("negative-index", "warning")},  # its groups are numbered from the end too, on purpose
    "gather_negative_indices": {("negative-index", "warning")},  # on purpose
    "ising_checkerboard": {("negative-index", "warning")},  # the lattice is a torus: -1 is the other side
    "wave_equation": {("negative-index", "warning")},  # the string is a ring
    "mutex": {("race", "warning")},  # ordered by a lock and its fences: whether always, a trace cannot tell
    "compare_and_swap_loop": {("race", "warning")},  # the first read is plain; the swap fails if it was stale
    # A level-synchronous search reads levels that others set: who sees the new one has nothing to do at it.
    "breadth_first_search": {("race", "error"), ("race", "warning")},
    "connected_components": {("race", "error")},  # reads roots that others are replacing by the same roots
    "numba_useful_syncwarp": {("race", "error")},  # lane 0 writes the element that all read, with the value it had
    # All threads write QT_out[0], thread 0 a passing value first; and element -1 is read where it does not count.
    "stumpy_matrix_profile": {("race", "error"), ("negative-index", "warning")},
    "stumpy_unnormalised_profile": {("race", "error"), ("negative-index", "warning")},
    "rnnt_alphas_atomic_locks": {("race", "error")},  # plain reads of what a neighbour wrote, with no fence between
}
