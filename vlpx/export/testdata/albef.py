"""ALBEF in plain PyTorch, read from exported folders: python3 albef.py FOLDER INPUTS.json ... prints the three losses of each as a line of JSON.

The modules have the names of the published code, so that load_state_dict(strict=True) holds the export's names and layouts to it; what
they compute is written down anew from the papers (ALBEF, ViT, BERT). INPUTS.json gives a mini-batch:

    pixels  [batch, side, side, 3]   normalised, channels last
    ids     [batch, tokens]          captions, padded with 0
    masked  [batch, tokens]          the same with MLM's masks
    labels  [batch, tokens]          the ids to predict, -100 elsewhere
    pairs   {"images", "texts", "labels"}   the rows that ITM sees

Every number that shapes the model comes from the folder's config.json.
"""

import json
import struct
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu, normalize


def read_safetensors(path):
    """The tensors of a safetensors file by name."""
    content = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    types = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64}
    tensors = {}
    for name, told in header.items():
        if name == "__metadata__":
            continue
        begin, end = told["data_offsets"]
        flat = torch.frombuffer(bytearray(content[8 + length + begin : 8 + length + end]), dtype=types[told["dtype"]])
        tensors[name] = flat.reshape(told["shape"])
    return tensors


def attend(query, key, value, heads, bias=None):
    """Multi-head attention of [rows, tokens, width]; bias [rows, 1, 1, tokens] is added to the logits."""

    def split(x):
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    query, key, value = split(query), split(key), split(value)
    logits = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if bias is not None:
        logits = logits + bias
    return (logits.softmax(-1) @ value).transpose(1, 2).flatten(2)


class Named(nn.Module):
    """A module of the given children."""

    def __init__(self, **children):
        super().__init__()
        for name, child in children.items():
            self.add_module(name, child)


# The image encoder: a vision transformer, each branch after its normalisation.


class ViTAttention(nn.Module):
    def __init__(self, width, heads, bias):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=bias)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        return self.proj(attend(*self.qkv(x).chunk(3, -1), self.heads))


class ViTBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, inner = c["embed_dim"], round(c["embed_dim"] * c["mlp_ratio"])
        self.norm1 = nn.LayerNorm(width, eps=c["layer_norm_eps"])
        self.attn = ViTAttention(width, c["num_heads"], c["qkv_bias"])
        self.norm2 = nn.LayerNorm(width, eps=c["layer_norm_eps"])
        self.mlp = Named(fc1=nn.Linear(width, inner), fc2=nn.Linear(inner, width))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp.fc2(gelu(self.mlp.fc1(self.norm2(x))))


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


# The text encoder: BERT, whose later layers attend to an image, too; each normalisation after its sum.


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
        return self.output.LayerNorm(x + self.output.dense(gelu(self.intermediate.dense(x))))


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

    def forward(self, x):
        return self.decoder(self.transform.LayerNorm(gelu(self.transform.dense(x))))


class ALBEF(nn.Module):
    def __init__(self, config):
        super().__init__()
        vision, text, embed = config["vision_config"], config["bert_config"], config["embed_dim"]
        self.pooling, self.pad = config["image_pooling"], text["pad_token_id"]
        self.visual_encoder = ViT(vision)
        self.text_encoder = Named(bert=Bert(text), cls=Named(predictions=WordHead(text)))
        self.vision_proj = nn.Linear(vision["embed_dim"], embed)
        self.text_proj = nn.Linear(text["hidden_size"], embed)
        self.itm_head = nn.Linear(text["hidden_size"], 2)
        self.temp = nn.Parameter(torch.empty([]))

    def losses(self, pixels, ids, masked, labels, pairs):
        def bias(ids):
            return torch.zeros(ids.shape).masked_fill(ids == self.pad, float("-inf"))[:, None, None]

        bert = self.text_encoder.bert
        image = self.visual_encoder(pixels.permute(0, 3, 1, 2))
        pooled = {"class": image[:, 0], "mean": image.mean(1)}[self.pooling]
        text = bert.read(ids, bias(ids))
        u, w = normalize(self.vision_proj(pooled), dim=-1), normalize(self.text_proj(text[:, 0]), dim=-1)
        similarity, own = u @ w.T / self.temp, torch.arange(len(u))
        itc = (cross_entropy(similarity, own) + cross_entropy(similarity.T, own)) / 2

        fused = bert.fuse(text[pairs["texts"]], bias(ids)[pairs["texts"]], image[pairs["images"]])
        itm = cross_entropy(self.itm_head(fused[:, 0]), pairs["labels"])

        fused = bert.fuse(bert.read(masked, bias(masked)), bias(masked), image)
        logits = self.text_encoder.cls.predictions(fused)
        mlm = cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        return {"ITC": itc, "ITM": itm, "MLM": mlm}


def losses_of(folder, inputs):
    model = ALBEF(json.loads((Path(folder) / "config.json").read_text()))
    weights = read_safetensors(Path(folder) / "model.safetensors")
    model.load_state_dict(weights, strict=True)
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
        losses = model.eval().losses(torch.tensor(told["pixels"]), pairs=pairs, **whole)
    return {name: float(loss) for name, loss in losses.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    for folder, inputs in zip(sys.argv[1::2], sys.argv[2::2]):
        print(json.dumps(losses_of(folder, inputs)))
