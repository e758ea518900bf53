"""ALBEF: timm's vision transformer, and BERT whose later layers attend to an image."""

import torch
from torch import nn
from torch.nn import functional as F

from layers import LayerNorm, Named, attend


class ViTBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, inner = c["embed_dim"], round(c["embed_dim"] * c["mlp_ratio"])
        self.heads = c["num_heads"]
        self.norm1, self.norm2 = LayerNorm(width, eps=c["layer_norm_eps"]), LayerNorm(width, eps=c["layer_norm_eps"])
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
        self.norm = LayerNorm(width, eps=c["layer_norm_eps"])

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
        self.output = Named(dense=nn.Linear(width, width), LayerNorm=LayerNorm(width, eps=c["layer_norm_eps"]))

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
        self.output = Named(dense=nn.Linear(inner, width), LayerNorm=LayerNorm(width, eps=c["layer_norm_eps"]))

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
        self.LayerNorm = LayerNorm(width, eps=c["layer_norm_eps"])

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
        self.transform = Named(dense=nn.Linear(width, width), LayerNorm=LayerNorm(width, eps=c["layer_norm_eps"]))
        self.decoder = nn.Linear(width, c["vocab_size"])
        self.decoder.bias = self.bias

    def forward(self, x):
        return self.decoder(self.transform.LayerNorm(F.gelu(self.transform.dense(x))))


class ALBEF(nn.Module):
    smoothing = 0.0  # of MLM's labels

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

    def look(self, batch):
        """What fusion reads of images alone."""
        return self.visual_encoder(batch["image"]), None

    def embed(self, batch):
        image, _ = self.look(batch)
        pooled = image[:, 0] if self.pooling == "class" else image.mean(1)
        text = self.text_encoder.bert.read(batch["captions"], self.bias(batch["captions"]))
        u, w = F.normalize(self.vision_proj(pooled).float(), dim=-1), F.normalize(self.text_proj(text[:, 0]).float(), dim=-1)
        return u, w, (image, text)

    def words(self, masked, image):
        """The logits of the words of masked captions with their images."""
        bert, bias = self.text_encoder.bert, self.bias(masked)
        return self.text_encoder.cls.predictions(bert.fuse(bert.read(masked, bias), bias, image)).float()

    def tell(self, batch, states, further=None):
        """MLM's logits and words; further are the rows of new positives: images, captions and which of the rows are taken."""
        masked, words, image = batch["masked captions"], batch["masked words"], states[0]
        if further is not None:
            images, texts, codes, taken = further
            more, labels = mask_by_codes(batch["captions"][texts], codes)
            masked, words, image = torch.cat([masked, more]), torch.cat([words, labels.masked_fill(~taken[:, None], -100)]), torch.cat([image, image[images]])
        return self.words(masked, image), words

    def match(self, batch, states, images, texts):
        """ITM's logits of captions with images, by their places."""
        image, text = states
        fused = self.text_encoder.bert.fuse(text[texts], self.bias(batch["captions"])[texts], image[images])
        return self.itm_head(fused[:, 0]).float()


def mask_by_codes(ids, codes):
    """Captions masked by drawn codes: -1 leaves a token, -2 has it predicted as it is, any other is the id in its place."""
    fixed = ids == 0
    fixed[:, 0] = True
    chosen = ~fixed & (codes != -1)
    return torch.where(chosen & (codes >= 0), codes, ids), ids.masked_fill(~chosen, -100)
