"""A training step in plain PyTorch, made when it is asked for: python3 peer.py FOLDER eager|compile.

FOLDER has what export.go writes: step.json, which tells the model, the losses and the optimiser, model.safetensors with its first weights in
published names, and batch.safetensors with a mini-batch and what the method keeps. Each line of standard input names a part of a step, "forward",
"backward" (forward and backward) or "whole", and is answered by a line of JSON with its seconds and losses. The modules are written as the
published code of ALBEF, CLIP and SimCLR has them, of linear layers and matrix products, and named as it names them, so that
load_state_dict(strict=True) holds the weights to it. What the published code leaves to chance is in the mini-batch: masks, and the noise by which
ITM's negatives are drawn.
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


def read_safetensors(path):
    """The tensors of a safetensors file by name."""
    content = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    types = {"F32": np.float32, "I64": np.int64, "I32": np.int32}
    tensors = {}
    for name, told in header.items():
        if name != "__metadata__":
            begin, end = told["data_offsets"]
            flat = np.frombuffer(content, types[told["dtype"]], offset=8 + length + begin, count=(end - begin) // np.dtype(types[told["dtype"]]).itemsize)
            tensors[name] = torch.from_numpy(flat.reshape(told["shape"]).copy())
    return tensors


def attend(query, key, value, heads, bias=None):
    """Multi-head attention of [rows, tokens, width]; bias, broadcast to [rows, heads, tokens, tokens], is added to the logits."""

    def split(x):
        return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)

    query, key, value = split(query), split(key), split(value)
    if hasattr(F, "scaled_dot_product_attention"):
        read = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    else:
        logits = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        if bias is not None:
            logits = logits + bias
        read = logits.softmax(-1) @ value
    return read.transpose(1, 2).flatten(2)


class Named(nn.Module):
    """A module of the given children."""

    def __init__(self, **children):
        super().__init__()
        for name, child in children.items():
            self.add_module(name, child)


# ALBEF: timm's vision transformer, and BERT whose later layers attend to an image.


class ViTBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, inner = c["embed_dim"], round(c["embed_dim"] * c["mlp_ratio"])
        self.heads = c["num_heads"]
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=c["layer_norm_eps"]), nn.LayerNorm(width, eps=c["layer_norm_eps"])
        self.attn = Named(qkv=nn.Linear(width, 3 * width, bias=c["qkv_bias"]), proj=nn.Linear(width, width))
        self.mlp = Named(fc1=nn.Linear(width, inner), fc2=nn.Linear(inner, width))

    def forward(self, x):
        x = x + self.attn.proj(attend(*self.attn.qkv(self.norm1(x)).chunk(3, -1), self.heads))
        return x + self.mlp.fc2(F.gelu(self.mlp.fc1(self.norm2(x))))


class ViT(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, patch = c["embed_dim"], c["patch_size"]
        self.patch_embed = Named(proj=nn.Conv2d(3, width, patch, patch))
        self.cls_token = nn.Parameter(torch.empty(1, 1, width))
        self.pos_embed = nn.Parameter(torch.empty(1, (c["img_size"] // patch) ** 2 + 1, width))
        self.blocks = nn.ModuleList(ViTBlock(c) for _ in range(c["depth"]))
        self.norm = nn.LayerNorm(width, eps=c["layer_norm_eps"])

    def forward(self, pixels):
        patches = self.patch_embed.proj(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(patches), -1, -1), patches], 1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


class BertAttention(nn.Module):
    def __init__(self, c, memory_width):
        super().__init__()
        width = c["hidden_size"]
        self.heads = c["num_attention_heads"]
        self.self = Named(query=nn.Linear(width, width), key=nn.Linear(memory_width, width), value=nn.Linear(memory_width, width))
        self.output = Named(dense=nn.Linear(width, width), LayerNorm=nn.LayerNorm(width, eps=c["layer_norm_eps"]))

    def forward(self, x, memory, bias=None):
        part = self.self
        read = attend(part.query(x), part.key(memory), part.value(memory), self.heads, bias)
        return self.output.LayerNorm(x + self.output.dense(read))


class BertLayer(nn.Module):
    def __init__(self, c, fusion):
        super().__init__()
        width, inner = c["hidden_size"], c["intermediate_size"]
        self.attention = BertAttention(c, width)
        if fusion:
            self.crossattention = BertAttention(c, c["encoder_width"])
        self.intermediate = Named(dense=nn.Linear(width, inner))
        self.output = Named(dense=nn.Linear(inner, width), LayerNorm=nn.LayerNorm(width, eps=c["layer_norm_eps"]))

    def forward(self, x, bias, image=None):
        x = self.attention(x, x, bias)
        if image is not None:
            x = self.crossattention(x, image)
        return self.output.LayerNorm(x + self.output.dense(F.gelu(self.intermediate.dense(x))))


class Embeddings(nn.Module):
    def __init__(self, c):
        super().__init__()
        width = c["hidden_size"]
        self.register_buffer("position_ids", torch.empty(1, c["max_position_embeddings"], dtype=torch.int64))
        self.word_embeddings = nn.Embedding(c["vocab_size"], width)
        self.position_embeddings = nn.Embedding(c["max_position_embeddings"], width)
        self.token_type_embeddings = nn.Embedding(c["type_vocab_size"], width)
        self.LayerNorm = nn.LayerNorm(width, eps=c["layer_norm_eps"])

    def forward(self, ids):
        positions = self.position_embeddings(self.position_ids[:, : ids.shape[1]])
        return self.LayerNorm(self.word_embeddings(ids) + positions + self.token_type_embeddings(torch.zeros_like(ids)))


class Bert(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fusion = c["fusion_layer"]
        self.embeddings = Embeddings(c)
        self.encoder = Named(layer=nn.ModuleList(BertLayer(c, n >= self.fusion) for n in range(c["num_hidden_layers"])))

    def read(self, ids, bias):
        x = self.embeddings(ids)
        for layer in self.encoder.layer[: self.fusion]:
            x = layer(x, bias)
        return x

    def fuse(self, x, bias, image):
        for layer in self.encoder.layer[self.fusion :]:
            x = layer(x, bias, image)
        return x


class WordHead(nn.Module):
    def __init__(self, c):
        super().__init__()
        width = c["hidden_size"]
        self.bias = nn.Parameter(torch.empty(c["vocab_size"]))
        self.transform = Named(dense=nn.Linear(width, width), LayerNorm=nn.LayerNorm(width, eps=c["layer_norm_eps"]))
        self.decoder = nn.Linear(width, c["vocab_size"])
        self.decoder.bias = self.bias

    def forward(self, x):
        return self.decoder(self.transform.LayerNorm(F.gelu(self.transform.dense(x))))


class ALBEF(nn.Module):
    def __init__(self, c):
        super().__init__()
        vision, text, embed = c["vision_config"], c["bert_config"], c["embed_dim"]
        self.pooling, self.pad = c["image_pooling"], text["pad_token_id"]
        self.visual_encoder = ViT(vision)
        self.text_encoder = Named(bert=Bert(text), cls=Named(predictions=WordHead(text)))
        self.text_encoder.cls.predictions.decoder.weight = self.text_encoder.bert.embeddings.word_embeddings.weight
        self.vision_proj = nn.Linear(vision["embed_dim"], embed)
        self.text_proj = nn.Linear(text["hidden_size"], embed)
        self.itm_head = nn.Linear(text["hidden_size"], 2)
        self.temp = nn.Parameter(torch.empty([]))

    def temperature(self):
        with torch.no_grad():
            self.temp.clamp_(0.001, 0.5)
        return self.temp

    def bias(self, ids):
        return (ids == self.pad).float()[:, None, None] * -1e9

    def embed(self, batch):
        image = self.visual_encoder(batch["image"])
        pooled = image[:, 0] if self.pooling == "class" else image.mean(1)
        text = self.text_encoder.bert.read(batch["captions"], self.bias(batch["captions"]))
        u, w = F.normalize(self.vision_proj(pooled), dim=-1), F.normalize(self.text_proj(text[:, 0]), dim=-1)
        return u, w, (image, text)

    def words(self, batch, image):
        bert, masked = self.text_encoder.bert, batch["masked captions"]
        bias = self.bias(masked)
        return self.text_encoder.cls.predictions(bert.fuse(bert.read(masked, bias), bias, image))

    def match(self, batch, image, text, images, texts):
        bias = self.bias(batch["captions"])
        own = torch.arange(len(image))
        fused = self.text_encoder.bert.fuse(text[torch.cat([own, own, texts])], bias[torch.cat([own, own, texts])], image[torch.cat([own, images, own])])
        return F.cross_entropy(self.itm_head(fused[:, 0]), torch.cat([torch.ones_like(own), torch.zeros_like(own), torch.zeros_like(own)]))


# CLIP: residual attention blocks.


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight, self.in_proj_bias = nn.Parameter(torch.empty(3 * width, width)), nn.Parameter(torch.empty(3 * width))
        self.out_proj = nn.Linear(width, width)

    def forward(self, x, mask):
        return self.out_proj(attend(*F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, -1), self.heads, mask))


class Layer(nn.Module):
    def __init__(self, width, heads, ratio, quick):
        super().__init__()
        inner = round(width * ratio)
        self.quick = quick
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads)
        self.mlp = Named(c_fc=nn.Linear(width, inner), c_proj=nn.Linear(inner, width))

    def forward(self, x, mask):
        x = x + self.attn(self.ln_1(x), mask)
        y = self.mlp.c_fc(self.ln_2(x))
        return x + self.mlp.c_proj(y * torch.sigmoid(1.702 * y) if self.quick else F.gelu(y))


class Transformer(nn.Module):
    def __init__(self, layers, *sizes):
        super().__init__()
        self.resblocks = nn.ModuleList(Layer(*sizes) for _ in range(layers))

    def forward(self, x, mask=None):
        for layer in self.resblocks:
            x = layer(x, mask)
        return x


class CLIPViT(nn.Module):
    def __init__(self, c, embed, quick, pooling):
        super().__init__()
        width, patch = c["width"], c["patch_size"]
        self.pooling = pooling
        self.conv1 = nn.Conv2d(3, width, patch, patch, bias=False)
        self.class_embedding = nn.Parameter(torch.empty(width))
        self.positional_embedding = nn.Parameter(torch.empty((c["image_size"] // patch) ** 2 + 1, width))
        self.ln_pre, self.ln_post = nn.LayerNorm(width), nn.LayerNorm(width)
        self.transformer = Transformer(c["layers"], width, width // c["head_width"], c["mlp_ratio"], quick)
        self.proj = nn.Parameter(torch.empty(width, embed))

    def forward(self, pixels):
        patches = self.conv1(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_embedding.expand(len(patches), 1, -1), patches], 1) + self.positional_embedding
        x = self.ln_post(self.transformer(self.ln_pre(x)))
        return (x[:, 0] if self.pooling == "class" else x.mean(1)) @ self.proj


class CLIP(nn.Module):
    def __init__(self, c):
        super().__init__()
        vision, text, embed = c["vision_cfg"], c["text_cfg"], c["embed_dim"]
        self.visual = CLIPViT(vision, embed, c["quick_gelu"], c["image_pooling"])
        self.pooling = c["text_pooling"]
        self.transformer = Transformer(text["layers"], text["width"], text["heads"], text["mlp_ratio"], c["quick_gelu"])
        self.token_embedding = nn.Embedding(text["vocab_size"], text["width"])
        self.positional_embedding = nn.Parameter(torch.empty(text["context_length"], text["width"]))
        self.ln_final = nn.LayerNorm(text["width"])
        self.text_projection = nn.Parameter(torch.empty(text["width"], embed))
        self.logit_scale = nn.Parameter(torch.empty([]))
        self.register_buffer("mask", torch.full((text["context_length"],) * 2, float("-inf")).triu(1), persistent=False)

    def temperature(self):
        with torch.no_grad():
            self.logit_scale.clamp_(0, float(np.log(100)))
        return (-self.logit_scale).exp()

    def embed(self, batch):
        ids = batch["captions"]
        tokens = ids.shape[1]
        x = self.token_embedding(ids) + self.positional_embedding[:tokens]
        x = self.ln_final(self.transformer(x, self.mask[:tokens, :tokens]))
        end = ids.argmax(1) if self.pooling == "largest" else (ids.ne(0) * torch.arange(tokens)).argmax(1)
        text = x[torch.arange(len(x)), end] @ self.text_projection
        return F.normalize(self.visual(batch["image"]), dim=-1), F.normalize(text, dim=-1), None


# SimCLR: torchvision's ResNet, and a projection head in the place of its classifier.


class Block(nn.Module):
    def __init__(self, inputs, width, stride, basic):
        super().__init__()
        sizes = [(inputs, width, 3, stride), (width, width, 3, 1)] if basic else [(inputs, width, 1, 1), (width, width, 3, stride), (width, 4 * width, 1, 1)]
        self.count = len(sizes)
        for i, (n, out, size, by) in enumerate(sizes, 1):
            self.add_module(f"conv{i}", nn.Conv2d(n, out, size, stride=by, padding=size // 2, bias=False))
            self.add_module(f"bn{i}", nn.BatchNorm2d(out))
        self.downsample = None
        if stride > 1 or inputs != out:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, out, 1, stride=stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            if i < self.count:
                y = F.relu(y)
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    def __init__(self, c, hidden, embed):
        super().__init__()
        width, basic, stem = c["Width"], c.get("Basic", False), c.get("Stem", 0)
        self.conv1 = nn.Conv2d(3, width, 3, stride=stem, padding=1, bias=False) if stem else nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1, self.pool, self.stages, inputs = nn.BatchNorm2d(width), not stem, len(c["Layers"]), width
        for stage, blocks in enumerate(c["Layers"]):
            layer = []
            for block in range(blocks):
                layer.append(Block(inputs, width << stage, 2 if stage > 0 and block == 0 else 1, basic))
                inputs = (width << stage) * (1 if basic else 4)
            self.add_module(f"layer{stage + 1}", nn.Sequential(*layer))
        self.fc = nn.Sequential(
            nn.Linear(inputs, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, embed, bias=False), nn.BatchNorm1d(embed, affine=False)
        )

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        if self.pool:
            x = F.max_pool2d(x, 3, 2, 1)
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(x.mean((2, 3)))


class SimCLR(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.base_encoder = ResNet(c["ResNet"], c["Hidden"], c["Embed"])
        self.tau = c["Temperature"]

    def embed(self, batch):
        return F.normalize(self.base_encoder(batch["image"]), dim=-1), F.normalize(self.base_encoder(batch["second view"]), dim=-1), None


# The losses.


def soft_cross_entropy(logits, targets):
    return -(F.log_softmax(logits, 1) * targets).sum(1).mean()


def two_views(u, v, tau):
    """NT-Xent of two views, the sum over the views of the mean over images."""
    z = torch.cat([u, v])
    logits = (z @ z.T / tau).masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    return 2 * F.cross_entropy(logits, torch.arange(len(z)).roll(len(u)))


class Step:
    """What a step keeps besides its weights: a momentum model and queues, where ALBEF's contrast has them."""

    def __init__(self, told, model, batch):
        self.told, self.model, self.batch, self.distilled = told, model, batch, told["distilled"]
        if self.distilled:
            self.momentum = copy.deepcopy(model).requires_grad_(False)
            self.queues = [batch[f"state/{side}/queue"].T.contiguous() for side in ("image", "text")] if self.distilled["queue"] else None
            self.pointer = 0

    @torch.no_grad()
    def teach(self):
        """The momentum model's embeddings and words, after it has followed the weights."""
        decay = self.distilled["decay"]
        for online, average in zip(self.model.parameters(), self.momentum.parameters()):
            average.data.mul_(decay).add_(online.data, alpha=1 - decay)
        u, w, states = self.momentum.embed(self.batch)
        words = self.momentum.words(self.batch, states[0]) if "MLM" in self.told["losses"] else None
        return u, w, words

    @torch.no_grad()
    def enqueue(self, *keys):
        size = keys[0].shape[0]
        for queue, of in zip(self.queues, keys):
            queue[:, self.pointer : self.pointer + size] = of.T
        self.pointer = (self.pointer + size) % self.distilled["queue"]

    def contrast(self, u, w, tau):
        """ITC, the similarities within the mini-batch, and what MLM learns from."""
        if not self.distilled:
            logits, own = u @ w.T / tau, torch.arange(len(u))
            return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2, logits, logits.T, None
        um, wm, words = self.teach()
        images, texts = um.T, wm.T
        if self.queues:
            images, texts = (torch.cat([new, kept.clone()], 1) for new, kept in zip((images, texts), self.queues))
        mix = self.mix()
        with torch.no_grad():
            own = torch.zeros(len(u), texts.shape[1]).fill_diagonal_(1)
            i2t_targets = mix * F.softmax(um @ texts / tau, 1) + (1 - mix) * own
            t2i_targets = mix * F.softmax(wm @ images / tau, 1) + (1 - mix) * own
        i2t, t2i = u @ texts / tau, w @ images / tau
        loss = (soft_cross_entropy(i2t, i2t_targets) + soft_cross_entropy(t2i, t2i_targets)) / 2
        if self.queues:
            self.enqueue(um, wm)
        return loss, i2t[:, : len(u)], t2i[:, : len(u)], words

    def mix(self):
        return self.distilled["alpha"] * min(1.0, float(self.batch["progress"]))

    @torch.no_grad()
    def negatives(self, i2t, t2i):
        """ITM's other images and texts: the draws from the softmax that the noise makes."""
        own = torch.eye(len(i2t), dtype=torch.bool)
        noise = 0 if self.told["hardest"] else self.batch["matching noise"]
        i2t, t2i = (i2t, t2i) if self.told["hardest"] else (i2t + noise[0], t2i + noise[1])
        return t2i.masked_fill(own, float("-inf")).argmax(1), i2t.masked_fill(own, float("-inf")).argmax(1)

    def losses(self):
        u, w, states = self.model.embed(self.batch)
        if isinstance(self.model, SimCLR):
            return {"ITC": two_views(u, w, self.model.tau)}
        itc, i2t, t2i, taught = self.contrast(u, w, self.model.temperature())
        losses = {"ITC": itc}
        if "ITM" in self.told["losses"]:
            losses["ITM"] = self.model.match(self.batch, *states, *self.negatives(i2t, t2i))
        if "MLM" in self.told["losses"]:
            logits, words = self.model.words(self.batch, states[0]).flatten(0, 1), self.batch["masked words"].flatten()
            losses["MLM"] = F.cross_entropy(logits, words, ignore_index=-100)
            if taught is not None:
                masked = (words >= 0).float()
                soft = -(F.log_softmax(logits, 1) * F.softmax(taught.flatten(0, 1), 1)).sum(1)
                losses["MLM"] = (1 - self.mix()) * losses["MLM"] + self.mix() * (soft * masked).sum() / masked.sum()
        return losses


# The optimisers.


class LARS(torch.optim.Optimizer):
    """Published with SimCLR: tensors of fewer than two axes neither decay nor are scaled."""

    def __init__(self, parameters, lr, trust, momentum, decay):
        super().__init__(parameters, dict(lr=lr, trust=trust, momentum=momentum, decay=decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                d = p.grad
                if p.ndim > 1:
                    d = d.add(p, alpha=group["decay"])
                    weight, update = p.norm(), d.norm()
                    d = d * torch.where((weight > 0) & (update > 0), group["trust"] * weight / update, torch.ones_like(weight))
                state = self.state[p]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(p)
                state["momentum"].mul_(group["momentum"]).add_(d)
                p.add_(state["momentum"], alpha=-group["lr"])


def optimiser(told, model, rate):
    a, lars = told["adamw"], told["lars"]
    if lars["Trust"] > 0:
        return LARS(model.parameters(), rate, lars["Trust"], lars["Momentum"], lars["WeightDecay"])
    groups = {True: [], False: []}
    for name, p in model.named_parameters():
        decays = p.ndim > 1 or name.endswith("class_embedding") or p.ndim == 0 and not a.get("SpareScalars", False)
        groups[decays].append(p)
    return torch.optim.AdamW(
        [{"params": groups[True], "weight_decay": a["WeightDecay"]}, {"params": groups[False], "weight_decay": 0.0}],
        lr=rate, betas=(a["Beta1"], a["Beta2"]), eps=a["Epsilon"],
    )


def main(folder, mode):
    told = json.loads((Path(folder) / "step.json").read_text())
    batch = read_safetensors(Path(folder) / "batch.safetensors")
    for name, x in batch.items():
        if x.dtype == torch.int32:
            batch[name] = x.long()
    for name in ("image", "second view"):
        if name in batch:
            batch[name] = batch[name].permute(0, 3, 1, 2).contiguous()
    model = {"ALBEF": ALBEF, "CLIP": CLIP, "SimCLR": SimCLR}[told["framework"]](told["settings"])
    missing, unexpected = model.load_state_dict(read_safetensors(Path(folder) / "model.safetensors"), strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unexpected:
        sys.exit(f"the weights lack {missing} and have besides {unexpected}")
    model.train()
    step, rate = Step(told, model, batch), float(batch["rate"])
    update, clip = optimiser(told, model, rate), told["adamw"]["ClipNorm"]
    forward = torch.compile(step.losses) if mode == "compile" else step.losses
    for line in sys.stdin:
        part = line.strip()
        begun = time.perf_counter()
        losses = forward()
        if part != "forward":
            update.zero_grad(set_to_none=True)
            sum(losses.values()).backward()
        if part == "whole":
            if clip > 0:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            update.step()
        told_losses = {name: float(loss.detach()) for name, loss in losses.items()}
        print(json.dumps({"seconds": time.perf_counter() - begun, "losses": told_losses}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
