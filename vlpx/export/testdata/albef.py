"""Losses of exported ALBEFs by their model.py: python3 albef.py FOLDER INPUTS.json ... prints the three losses of each as a line of JSON.

load_state_dict(strict=True) holds the export's names and layouts to those of the published code. INPUTS.json gives a mini-batch:

    pixels  [batch, side, side, 3]   normalised, channels last
    ids     [batch, tokens]          captions, padded with 0
    masked  [batch, tokens]          the same with MLM's masks
    labels  [batch, tokens]          the ids to predict, -100 elsewhere
    pairs   {"images", "texts", "labels"}   the rows that ITM sees
"""

import json
import sys
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy, normalize

from exported import module


def losses(self, pixels, ids, masked, labels, pairs):
    bias = self.bias
    bert = self.text_encoder.bert
    image = self.visual_encoder(pixels.permute(0, 3, 1, 2))
    text = bert.read(ids, bias(ids))
    u, w = self.pooled(image), normalize(self.text_proj(text[:, 0]), dim=-1)
    similarity, own = u @ w.T / self.temp, torch.arange(len(u))
    itc = (cross_entropy(similarity, own) + cross_entropy(similarity.T, own)) / 2

    fused = bert.fuse(text[pairs["texts"]], bias(ids)[pairs["texts"]], image[pairs["images"]])
    itm = cross_entropy(self.itm_head(fused[:, 0]), pairs["labels"])

    fused = bert.fuse(bert.read(masked, bias(masked)), bias(masked), image)
    logits = self.text_encoder.cls.predictions(fused)
    mlm = cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
    return {"ITC": itc, "ITM": itm, "MLM": mlm}


def losses_of(folder, inputs):
    exported = module(folder)
    model = exported.load(folder).model
    weights = exported.read_safetensors(Path(folder) / "model.safetensors")
    tied = {
        "text_encoder.cls.predictions.decoder.weight": "text_encoder.bert.embeddings.word_embeddings.weight",
        "text_encoder.cls.predictions.decoder.bias": "text_encoder.cls.predictions.bias",
    }
    for copy, of in tied.items():
        if not torch.equal(weights[copy], weights[of]):
            sys.exit(f"{copy} is not {of}")
    told = json.loads(Path(inputs).read_text())
    whole = {name: torch.tensor(told[name]) for name in ("ids", "masked", "labels")}
    pairs = {name: torch.tensor(rows) for name, rows in told["pairs"].items()}
    with torch.no_grad():
        computed = losses(model, torch.tensor(told["pixels"]), pairs=pairs, **whole)
    return {name: float(loss) for name, loss in computed.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    for folder, inputs in zip(sys.argv[1::2], sys.argv[2::2]):
        print(json.dumps(losses_of(folder, inputs)))
