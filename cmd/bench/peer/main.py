"""A training step in plain PyTorch, made when it is asked for: python3 main.py FOLDER MODE, where MODE is eager or one of torch.compile's.

FOLDER has what export.go writes: step.json, which tells the model, the method, the losses, the optimiser and the device, model.safetensors with
its first weights in published names, reference.safetensors with those of a frozen model, where the method asks one, and batch.safetensors with a
mini-batch and what the method keeps. Each line of standard input names a part of a step, "forward", "backward" (forward and backward) or "whole",
and is answered by a line of JSON with its seconds, its losses, by how much a whole step lowered the rewarded ones, and on a GPU the most memory
that it has had. The modules are written as the published code of ALBEF, CLIP, SimCLR and BLIP-2 has them, of linear layers and matrix products,
and named as it names them, so that load_state_dict(strict=True) holds the weights to it. What the published code leaves to chance is in the
mini-batch: masks, and the noise by which ITM's negatives are drawn.
"""

import copy
import json
import struct
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from albef import ALBEF
from blip2 import BLIP2
from clip import CLIP
from contrast import KINDS, Connections, both, negatives, two_views
from optimiser import optimiser
from simclr import SimCLR


def read_safetensors(path, device):
    """The tensors of a safetensors file by name, whole numbers as PyTorch's indices."""
    content = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    types = {"F32": np.float32, "I64": np.int64, "I32": np.int32}
    tensors = {}
    for name, told in header.items():
        if name != "__metadata__":
            begin, end = told["data_offsets"]
            flat = np.frombuffer(content, types[told["dtype"]], offset=8 + length + begin, count=(end - begin) // np.dtype(types[told["dtype"]]).itemsize)
            tensor = torch.from_numpy(flat.reshape(told["shape"]).copy())
            tensors[name] = (tensor.long() if tensor.dtype == torch.int32 else tensor).to(device)
    return tensors


class Step:
    """What a step keeps besides its weights: a momentum model and queues, where ALBEF's contrast has them, and a frozen reference."""

    def __init__(self, told, model, batch, reference):
        self.told, self.model, self.batch, self.reference, self.distilled = told, model, batch, reference, told["distilled"]
        self.contrast = None if self.distilled else KINDS[told["contrast"]["kind"]](told["contrast"], batch)
        self.picked, self.progress = None, float(batch["progress"]) if "progress" in batch else 0.0
        if self.distilled:
            self.momentum = copy.deepcopy(model).requires_grad_(False)
            self.queues = [batch[f"state/{side}/queue"].T.contiguous() for side in ("image", "text")] if self.distilled["queue"] else None
            self.pointer = torch.zeros((), dtype=torch.int64, device=told["device"])  # a number would be compiled in

    def halved(self):
        """Products in bfloat16, where the step has them."""
        return torch.autocast(self.told["device"], torch.bfloat16, enabled=self.told["half"])

    @torch.no_grad()
    def teach(self):
        """The momentum model's embeddings and words, after it has followed the weights."""
        decay = self.distilled["decay"]
        for online, average in zip(self.model.parameters(), self.momentum.parameters()):
            average.data.mul_(decay).add_(online.data, alpha=1 - decay)
        with self.halved():
            u, w, states = self.momentum.embed(self.batch)
            words = self.momentum.tell(self.batch, states)[0] if "MLM" in self.told["losses"] else None
        return u, w, words

    @torch.no_grad()
    def enqueue(self, *keys):
        size = keys[0].shape[0]
        at = (self.pointer + torch.arange(size, device=self.pointer.device)) % self.distilled["queue"]
        for queue, of in zip(self.queues, keys):
            queue[:, at] = of.T
        self.pointer.add_(size).remainder_(self.distilled["queue"])

    def distil(self, u, w, tau):
        """ALBEF's ITC, the similarities within the mini-batch, and what MLM learns from."""
        um, wm, words = self.teach()
        images, texts = um.T, wm.T
        if self.queues:
            images, texts = (torch.cat([new, kept.clone()], 1) for new, kept in zip((images, texts), self.queues))
        mix = self.mix()
        with torch.no_grad():
            own = torch.zeros(len(u), texts.shape[1], device=u.device).fill_diagonal_(1)
            i2t_targets = mix * F.softmax(um @ texts / tau, 1) + (1 - mix) * own
            t2i_targets = mix * F.softmax(wm @ images / tau, 1) + (1 - mix) * own
        i2t, t2i = u @ texts / tau, w @ images / tau
        loss = both(i2t, t2i, i2t_targets, t2i_targets)
        if self.queues:
            self.enqueue(um, wm)
        return loss, i2t[:, : len(u)], t2i[:, : len(u)], words

    def mix(self):
        return self.distilled["alpha"] * min(1.0, self.progress)

    def pick(self, i2t, t2i, connections):
        """ITM's pairs: places of images and captions, labels, and weights, if any."""
        if connections is not None:
            return connections.pairs
        images, texts = negatives(i2t, t2i, self.noise())
        own = torch.arange(len(images), device=images.device)
        labels = torch.cat([torch.ones_like(own), torch.zeros_like(own), torch.zeros_like(own)])
        return torch.cat([own, images, own]), torch.cat([own, own, texts]), labels, None

    def noise(self):
        return None if self.told["hardest"] else self.batch["matching noise"]

    def losses(self):
        return self.forward(self.told["losses"])

    @torch.no_grad()
    def again(self):
        """The sum of the rewarded losses with the weights as they are, on the same pairs of ITM."""
        return sum(self.forward(self.told["reward"], self.picked).values())

    def forward(self, which, picked=None):
        with self.halved():
            if "ITC" in which or "ITM" in which:
                u, w, states = self.model.embed(self.batch)
            else:
                states = self.model.look(self.batch)
        if isinstance(self.model, SimCLR):
            return {"ITC": two_views(u, w, self.model.tau)}
        losses, taught, connections = {}, None, None
        if "ITC" in which:
            tau = self.model.temperature()
            if self.distilled:
                losses["ITC"], i2t, t2i, taught = self.distil(u, w, tau)
            else:
                if self.told["positives"]:
                    connections = Connections(self.told["positives"], self.reference, self.halved, u, w, tau, self.batch, self.noise())
                losses["ITC"], i2t, t2i = self.contrast(u, w, tau, self.batch, connections)
            if picked is None and "ITM" in self.told["losses"]:
                self.picked = picked = self.pick(i2t, t2i, connections)
        with self.halved():
            if "ITM" in which:
                images, texts, labels, weights = picked
                each = F.cross_entropy(self.model.match(self.batch, states, images, texts), labels, reduction="none")
                losses["ITM"] = each.mean() if weights is None else (weights * each).sum() / weights.sum()
            for name in ("MLM", "ITG"):
                if name in which:
                    losses[name] = self.words(name, states, connections, taught)
        return losses

    def words(self, name, states, connections, taught):
        further = None
        if connections is not None and name in connections.use:
            further = connections.further(self.told["room"], self.batch.get("masks of new positives"))
        logits, words = self.model.tell(self.batch, states, further)
        logits, words = logits.flatten(0, 1), words.flatten()
        loss = F.cross_entropy(logits, words, ignore_index=-100, label_smoothing=self.model.smoothing)
        if taught is None:
            return loss
        masked = (words >= 0).float()
        soft = -(F.log_softmax(logits, 1) * F.softmax(taught.flatten(0, 1), 1)).sum(1)
        return (1 - self.mix()) * loss + self.mix() * (soft * masked).sum() / masked.sum()


def load(told, path):
    """The model with the weights of a file."""
    model = {"ALBEF": ALBEF, "CLIP": CLIP, "SimCLR": SimCLR, "BLIP-2": BLIP2}[told["framework"]](told["settings"])
    missing, unexpected = model.load_state_dict(read_safetensors(path, "cpu"), strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unexpected:
        sys.exit(f"the weights lack {missing} and have besides {unexpected}")
    return model.to(told["device"])


def main(folder, mode):
    folder = Path(folder)
    told = json.loads((folder / "step.json").read_text())
    device = told["device"]
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = told["tf32"]
    batch = read_safetensors(folder / "batch.safetensors", device)
    for name in ("image", "second view"):
        if name in batch and batch[name].ndim == 4:
            batch[name] = batch[name].permute(0, 3, 1, 2).contiguous()
    model = load(told, folder / "model.safetensors").train()
    reference = load(told, folder / "reference.safetensors").eval().requires_grad_(False) if told["positives"] else None
    step, rate = Step(told, model, batch, reference), float(batch["rate"])
    update, clip = optimiser(told, model, rate), told["adamw"]["ClipNorm"]
    forward, again = step.losses, step.again
    if mode != "eager":
        forward, again = (torch.compile(f, mode=mode) for f in (forward, again))

    def wait():
        if device == "cuda":
            torch.cuda.synchronize()

    for line in sys.stdin:
        part = line.strip()
        wait()
        begun, improvement = time.perf_counter(), None
        if mode == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()
        losses = forward()
        if part != "forward":
            update.zero_grad(set_to_none=True)
            sum(losses.values()).backward()
        if part == "whole":
            if clip > 0:
                nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], clip)
            if told["reward"]:
                before = (sum(losses[name].detach() for name in told["reward"]) if told["repeats"] else again()).clone()
            update.step()
            if told["reward"]:
                improvement = before - again()
        told_losses = {name: float(loss.detach()) for name, loss in losses.items()}
        improvement = None if improvement is None else float(improvement)
        wait()
        answer = {"seconds": time.perf_counter() - begun, "losses": told_losses, "improvement": improvement}
        if device == "cuda":
            answer["bytes"] = torch.cuda.max_memory_allocated()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
