"""What an answer holds is told whoever allocates: cuML, once imported, lets CuPy take its memory from RMM for good."""

import answers
import pytest

from hundredfold.learning import problems


@pytest.fixture
def through_rmm(device):
    from rmm.allocators.cupy import rmm_cupy_allocator

    before = device.cuda.get_allocator()
    device.cuda.set_allocator(rmm_cupy_allocator)
    yield
    device.cuda.set_allocator(before)


@pytest.mark.parametrize("name", ["svd.gram", "memory.leak", "protocols.adopt"])
def test_the_same_answers_are_refused_for_the_same_reasons(through_rmm, name):
    for wrong in answers.wrong(problems.find(name)).values():
        verdict = answers.judge(name, wrong.answer)
        assert (verdict.outcome, verdict.reason) == ("wrong", wrong.reason), verdict.why
