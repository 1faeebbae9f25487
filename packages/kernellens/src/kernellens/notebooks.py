"""The kernel in which notebooks are run: this Python's own, whatever `python3` kernels the user has."""

from __future__ import annotations


def manager_class() -> type:
    """Return a class of kernel managers, for nbclient's `kernel_manager_class`, that start the Python that runs this."""
    import ipykernel.kernelspec
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from traitlets import default

    class Specs(KernelSpecManager):
        def get_kernel_spec(self, kernel_name):
            return KernelSpec(resource_dir=ipykernel.kernelspec.RESOURCES, **ipykernel.kernelspec.get_kernel_dict())

    class Here(AsyncKernelManager):
        @default("kernel_spec_manager")
        def _specs(self):
            return Specs()

    return Here
