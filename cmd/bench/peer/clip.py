"""CLIP: residual attention blocks."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from layers import LayerNorm, Named, attend


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
        self.ln_1, self.ln_2 = LayerNorm(width), LayerNorm(width)
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
        self.ln_pre, self.ln_post = LayerNorm(width), LayerNorm(width)
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
        self.ln_final = LayerNorm(text["width"])
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
        end = ids.argmax(1) if self.pooling == "largest" else (ids.ne(0) * torch.arange(tokens, device=ids.device)).argmax(1)
        text = x[torch.arange(len(x), device=x.device), end] @ self.text_projection
        return F.normalize(self.visual(batch["image"]).float(), dim=-1), F.normalize(text.float(), dim=-1), None
