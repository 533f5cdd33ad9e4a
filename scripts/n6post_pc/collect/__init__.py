"""n6post collect: fetch the pictures that a `Collector` keeps on a camera, sort them, and write them as a dataset.

command.py      the command n6post collect
folder.py       the pictures in a folder with their labels, and what was decided about them
fetch.py        from the camera
server.py       the page to sort them; page/ is what the browser gets
dataset.py      Ultralytics' layout, with the ground truth in COCO's format
"""
