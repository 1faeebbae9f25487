"""From sources to what is read: notebooks, generated pages, the site, the page in the browser."""

REUSE = "You may reuse text and figures if you name Hundredfold (CC-BY-4.0), and code if you keep its notice (BSD-3-Clause)."
"""What readers may do. The last cell of each notebook has it, so the last slide of each lecture does, and the footer of each page."""
