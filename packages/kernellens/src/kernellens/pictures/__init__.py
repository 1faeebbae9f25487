"""Pictures of what the lens sees: of a launch, of its place under the roofline, of what its threads' order changes.

`steps`       a log as a few numbers for each access of a block
`positions`   where threads and elements stand in a picture
`blocks`      what a block does to each of them
`marks`       where something is wrong
`plain`       a picture in words and characters
`script`      what the script in the page is given
`panels`      the pieces that pictures are put together from
`showing`     `show`: threads, elements, errors; a slider over barrier intervals
`request_tab` its tab with a warp's request against sectors and banks
`grid_tab`    its tab with all of the launch
`answers`     two answers of a launch, from two orders of its threads
`roof`        `roofline`: limits of a GPU, and where a launch stands under them

``show.js``, ``requests.js`` and ``events.js``, ``answers.js`` and ``roofline.js`` are what runs in the page, without a server.
"""

from .roof import roofline
from .showing import show

__all__ = ["roofline", "show"]
