"""Recall by the recipe of an export's README.md: python3 recall.py FOLDER INPUTS.json prints [TR@K, IR@K] for K of 1, 5, 10.

INPUTS.json has the names of images, captions, and owners, the image of each caption.
"""

import json
import sys
from pathlib import Path

import torch

from exported import module

if __name__ == "__main__":
    torch.set_num_threads(1)
    folder, told = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    model = module(folder)
    m = model.load(folder)
    images, texts = m.embed_images(told["images"], batch=7), m.embed_texts(told["captions"], batch=7)
    print(json.dumps([model.recall(images, texts, told["owners"], k) for k in (1, 5, 10)]))
