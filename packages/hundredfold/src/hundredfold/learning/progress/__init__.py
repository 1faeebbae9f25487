"""Progress: what a learner has solved, and, where they or their hub chose to share it, what their class has.

`catalogue`    the problems and predictions there are, read from the shipped notebooks
`own`          a learner's own standing, from their progress file (`hundredfold.learning.problems.progress`)
`watching`     the kernel's half of predictions: what a learner types into a prediction's cell, if they share it
`classroom`    a class's folder (`hundredfold.learning.problems.sharing`) in numbers: counts, reasons, predictions
`histogram`    numbers in bins that a reader would have chosen
`command`      ``hundredfold progress``
`page`         the class live, behind the hub's login

What the page imports needs the standard library, and JupyterHub and Tornado for the login.
"""
