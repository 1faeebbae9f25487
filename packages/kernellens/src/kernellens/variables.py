"""The environment variables that had another name, refused with the name that they have now."""

from gpusim.variables import RENAMED as OF_THE_SIMULATOR
from gpusim.variables import refuse_renamed

RENAMED = {
    **OF_THE_SIMULATOR,
    "HUNDREDFOLD_COMPILER": "KERNELLENS_COMPILER",
    "HUNDREDFOLD_COMPILER_SECONDS": "KERNELLENS_COMPILER_SECONDS",
    "HUNDREDFOLD_FIGURES": "KERNELLENS_FIGURES",
    "HUNDREDFOLD_BASE_URL": "KERNELLENS_BASE_URL",
}


def refuse() -> None:
    """Refuse variables of the simulator or of this package that are set under their old names.

    Raises
    ------
    gpusim.variables.RenamedVariableError
    """
    refuse_renamed(RENAMED)
