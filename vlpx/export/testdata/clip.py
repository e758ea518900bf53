"""Exported CLIPs by their model.py: python3 clip.py FOLDER INPUTS.json ... prints what each gives as a line of JSON:

    image, text  [batch, embed_dim]   the normalised embeddings
    ITC                               the loss of the mini-batch

INPUTS.json gives a mini-batch:

    pixels  [batch, side, side, 3]   normalised, channels last
    ids     [batch, tokens]          captions, padded with 0
"""

import json
import sys
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from exported import module


def told_of(folder, inputs):
    model = module(folder).load(folder).model
    told = json.loads(Path(inputs).read_text())
    with torch.no_grad():
        image, text = model.encode_image(torch.tensor(told["pixels"])), model.encode_text(torch.tensor(told["ids"]))
        logits, own = model.logit_scale.exp() * image @ text.T, torch.arange(len(text))
        loss = (cross_entropy(logits, own) + cross_entropy(logits.T, own)) / 2
    return {"image": image.tolist(), "text": text.tolist(), "ITC": float(loss)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    for folder, inputs in zip(sys.argv[1::2], sys.argv[2::2]):
        print(json.dumps(told_of(folder, inputs)))
