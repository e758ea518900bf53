"""What model.py makes of images and captions: python3 embed.py FOLDER INPUTS.json prints {"image", "text"}, embeddings [rows, embed_dim].

with the pixels [rows, side, side, 3] and ids [rows, tokens] that it embeds. INPUTS.json has images [rows, height, width, 3] of 0 to 255 or
names of files, and captions.
"""

import json
import sys
from pathlib import Path

import numpy
import torch

from exported import module

if __name__ == "__main__":
    torch.set_num_threads(1)
    for folder, inputs in zip(sys.argv[1::2], sys.argv[2::2]):
        told, of = json.loads(Path(inputs).read_text()), module(folder).load(folder)
        images = [image if isinstance(image, str) else numpy.array(image, dtype=numpy.uint8) for image in told["images"]]
        print(json.dumps({
            "image": of.embed_images(images).tolist(), "text": of.embed_texts(told["captions"]).tolist(),
            "pixels": [of.pixels(image).tolist() for image in images],
            "ids": [of.ids(caption).tolist() for caption in told["captions"]],
        }))
