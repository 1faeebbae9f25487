"""From sources to what is read: notebooks, generated pages, the site, the page in the browser."""
