"""What people take away from a segmentation: for now the overlay of segments on the image.

Images and label maps come in, pictures come out. Never knows the pipeline or files.
"""
