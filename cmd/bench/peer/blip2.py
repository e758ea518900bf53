"""BLIP-2's first stage: EVA's vision transformer, frozen, and the Q-Former, in LAVIS's names."""

import torch
from torch import nn
from torch.nn import functional as F

from albef import WordHead
from layers import LayerNorm, Named, attend


class EVAAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.q_bias, self.v_bias = nn.Parameter(torch.empty(width)), nn.Parameter(torch.empty(width))

    def forward(self, x):
        bias = torch.cat([self.q_bias, torch.zeros_like(self.q_bias), self.v_bias])
        return self.proj(attend(*F.linear(x, self.qkv.weight, bias).chunk(3, -1), self.heads))


class EVABlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, inner = c["embed_dim"], round(c["embed_dim"] * c["mlp_ratio"])
        self.norm1, self.norm2 = LayerNorm(width, eps=c["layer_norm_eps"]), LayerNorm(width, eps=c["layer_norm_eps"])
        self.attn = EVAAttention(width, c["num_heads"])
        self.mlp = Named(fc1=nn.Linear(width, inner), fc2=nn.Linear(inner, width))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp.fc2(F.gelu(self.mlp.fc1(self.norm2(x))))


class EVA(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, patch = c["embed_dim"], c["patch_size"]
        self.patch_embed = Named(proj=nn.Conv2d(3, width, patch, patch))
        self.cls_token = nn.Parameter(torch.empty(1, 1, width))
        self.pos_embed = nn.Parameter(torch.empty(1, (c["img_size"] // patch) ** 2 + 1, width))
        self.blocks = nn.ModuleList(EVABlock(c) for _ in range(c["depth"]))

    def forward(self, pixels):
        patches = self.patch_embed.proj(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(patches), -1, -1), patches], 1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return x


class Attention(nn.Module):
    def __init__(self, c, seen):
        super().__init__()
        width = c["hidden_size"]
        self.heads = c["num_attention_heads"]
        self.self = Named(query=nn.Linear(width, width), key=nn.Linear(seen, width), value=nn.Linear(seen, width))
        self.output = Named(dense=nn.Linear(width, width), LayerNorm=LayerNorm(width, eps=c["layer_norm_eps"]))

    def forward(self, x, memory, bias=None, before=None):
        """The states, and the keys and values, which are offered to later tokens; before are those that stand in front."""
        key, value = own = self.self.key(memory), self.self.value(memory)
        if before is not None:
            key, value = torch.cat([before[0], key], 1), torch.cat([before[1], value], 1)
        read = attend(self.self.query(x), key, value, self.heads, bias)
        return self.output.LayerNorm(x + self.output.dense(read)), own


class Layer(nn.Module):
    def __init__(self, c, number):
        super().__init__()
        width, inner = c["hidden_size"], c["intermediate_size"]
        self.queries = c["query_length"]
        self.attention = Attention(c, width)
        self.crossattention = Attention(c, c["encoder_width"]) if number % c["cross_attention_freq"] == 0 else None
        for kind in ("", "_query"):
            self.add_module("intermediate" + kind, Named(dense=nn.Linear(width, inner)))
            self.add_module("output" + kind, Named(dense=nn.Linear(inner, width), LayerNorm=LayerNorm(width, eps=c["layer_norm_eps"])))

    def forward(self, x, queries, bias=None, image=None, before=None):
        """queries tells whether x begins with them."""
        x, own = self.attention(x, x, bias, before)
        if not queries:
            return self.feed(x, self.intermediate, self.output), own
        seen, text = x[:, : self.queries], x[:, self.queries :]
        if self.crossattention is not None:
            seen, _ = self.crossattention(seen, image)
        seen = self.feed(seen, self.intermediate_query, self.output_query)
        if text.shape[1] > 0:
            seen = torch.cat([seen, self.feed(text, self.intermediate, self.output)], 1)
        return seen, own

    @staticmethod
    def feed(x, intermediate, output):
        return output.LayerNorm(x + output.dense(F.gelu(intermediate.dense(x))))


class QEmbeddings(nn.Module):
    def __init__(self, c):
        super().__init__()
        width = c["hidden_size"]
        self.register_buffer("position_ids", torch.empty(1, c["max_position_embeddings"], dtype=torch.int64))
        self.word_embeddings, self.position_embeddings = nn.Embedding(c["vocab_size"], width), nn.Embedding(c["max_position_embeddings"], width)
        self.LayerNorm = LayerNorm(width, eps=c["layer_norm_eps"])

    def forward(self, ids):
        return self.word_embeddings(ids) + self.position_embeddings(self.position_ids[:, : ids.shape[1]])


class BLIP2(nn.Module):
    def __init__(self, c):
        super().__init__()
        vision, former = c["vision_config"], c["qformer_config"]
        seen, width = former["encoder_width"], former["hidden_size"]
        self.queries, self.smoothing, self.begin = c["num_query_token"], c["label_smoothing"], former["vocab_size"] - 1
        self.visual_encoder = EVA(vision).requires_grad_(False) if vision["locked_dim"] == 0 else None
        self.ln_vision = LayerNorm(seen)
        self.query_tokens = nn.Parameter(torch.empty(1, self.queries, width))
        layers = nn.ModuleList(Layer(former, n) for n in range(former["num_hidden_layers"]))
        self.Qformer = Named(bert=Named(embeddings=QEmbeddings(former), encoder=Named(layer=layers)), cls=Named(predictions=WordHead(former)))
        self.Qformer.cls.predictions.decoder.weight = self.Qformer.bert.embeddings.word_embeddings.weight
        self.vision_proj, self.text_proj = nn.Linear(width, c["embed_dim"]), nn.Linear(width, c["embed_dim"])
        self.itm_head = nn.Linear(width, 2)
        self.temp = nn.Parameter(torch.empty([]))

    def temperature(self):
        return self.temp

    def former(self, ids=None, queries=0, bias=None, image=None, offered=None):
        """The states of so many rows of queries, if any, and captions, and what each layer offers."""
        bert, parts, all_own = self.Qformer.bert, [], []
        if queries:
            parts.append(self.query_tokens.expand(queries, -1, -1))
        if ids is not None:
            parts.append(bert.embeddings(ids))
        x = bert.embeddings.LayerNorm(torch.cat(parts, 1))
        for n, layer in enumerate(bert.encoder.layer):
            x, own = layer(x, queries > 0, bias, image, None if offered is None else offered[n])
            all_own.append(own)
        return x, all_own

    def hidden(self, ids):
        """The bias that hides padding, [rows, 1, 1, tokens]."""
        return (ids == 0).float()[:, None, None] * -1e9

    def look(self, batch):
        """Tokens of the images, what the queries that see them offer to captions, a layer each, and the states of these."""
        tokens = batch["image"]
        if self.visual_encoder is not None:
            with torch.no_grad():
                tokens = self.visual_encoder(tokens)
        tokens = self.ln_vision(tokens)
        queries, offered = self.former(queries=len(tokens), image=tokens)
        return tokens, offered, queries

    def embed(self, batch):
        states = self.look(batch)
        text, _ = self.former(batch["captions"], bias=self.hidden(batch["captions"]))
        u, w = F.normalize(self.vision_proj(states[2]).float(), dim=-1), F.normalize(self.text_proj(text[:, 0]).float(), dim=-1)
        return u, w, states

    def match(self, batch, states, images, texts):
        ids = batch["captions"][texts]
        bias = F.pad(self.hidden(ids), (self.queries, 0))
        x, _ = self.former(ids, len(ids), bias, states[0][images])
        return self.itm_head(x[:, : self.queries]).float().mean(1)

    def tell(self, batch, states, further=None):
        """ITG's logits of the next token, and these."""
        ids, offered = batch["captions"], states[1]
        labels = ids.masked_fill(ids == 0, -100)
        if further is not None:
            images, texts, _, taken = further
            more = ids[texts]
            labels = torch.cat([labels, more.masked_fill(~taken[:, None] | (more == 0), -100)])
            ids, offered = torch.cat([ids, more]), [tuple(torch.cat([x, x[images]]) for x in own) for own in offered]
        begun, tokens = ids.clone(), ids.shape[1]
        begun[:, 0] = self.begin
        behind = torch.full((tokens, tokens), -1e9, device=ids.device).triu(1)
        bias = F.pad(torch.minimum(self.hidden(ids), behind), (self.queries, 0))
        x, _ = self.former(begun, bias=bias, offered=offered)
        return self.Qformer.cls.predictions(x).float()[:, :-1], labels[:, 1:]
