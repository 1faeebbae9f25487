"""The site: the whole course rendered, and the pages around it. ``make site`` builds and serves it.

`layout`   which file of the checkout becomes which page
`stage`    puts the sources together for Sphinx, links turned to where the pages will be
`units`    what is added to a notebook's page, and the pages that list the units
`slides`   what of a lecture stands on which slide
`slides_page`  the slides as pages, by nbconvert and reveal.js
`answers`  numbers that the prose of docs/ asks for, each from where it is kept
`results`  the published, recorded and possible times as a page
`browser_page`  what the page that runs Python in the browser is served with
`browser_editor`  its editor, bundled of npm's packages
`run_here` kernels of lectures and solutions as programs for it, and the links to them
`mathml`   formulas without a script, an extension of Sphinx
`numbers`  a number stays on one line, an extension of Sphinx
`tooltips` what a term means, where the pointer rests on it, an extension of Sphinx
`build`    calls Sphinx, warnings being errors
`proof`    looks at what was built: links, anchors, sizes, requests to others
`serve`    serves it on this machine
"""
