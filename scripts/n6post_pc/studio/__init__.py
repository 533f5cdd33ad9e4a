"""n6post studio: a page on this PC on which a model's options are sliders and switches, and the picture changes at once.

command.py      the command n6post studio
server.py       the web server, for browsers on this PC only
workbench.py    the models and pictures of the page, and what a model finds in a frame
frames.py       the frames that a camera would take of pictures, videos and the scene before it
looks.py        what the page shows of a result, but for the picture; also for the site's page
controls.py     which sliders and switches a post-processor has
script.py       the camera script with the chosen options
pages.py        the documentation that findings link to
page/           what the browser gets
"""
