"""How cuDF objects travel between processes."""
