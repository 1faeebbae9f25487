from hundredfold.engine.memory import OutOfMemoryError


class MemoryPointer:
    pass
