"""From a kernel's Python source to something that both backends start from: its text, what its names mean, its nested functions."""
