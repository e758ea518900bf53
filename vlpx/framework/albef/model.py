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


class Model(nn.Module):
    """ALBEF, whose modules have the names of the published code; what they compute is written anew from the papers (ALBEF, ViT, BERT)."""

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

    def bias(self, ids):
        return torch.zeros(ids.shape).masked_fill(ids == self.pad, float("-inf"))[:, None, None]

    def pooled(self, tokens):
        return normalize(self.vision_proj({"class": tokens[:, 0], "mean": tokens.mean(1)}[self.pooling]), dim=-1)

    def encode_image(self, pixels):
        """Embeddings [batch, embed_dim] of unit length, of pixels [batch, side, side, 3]."""
        return self.pooled(self.visual_encoder(pixels.permute(0, 3, 1, 2)))

    def encode_text(self, ids):
        """Embeddings [batch, embed_dim] of unit length, of ids [batch, tokens], padded with 0."""
        return normalize(self.text_proj(self.text_encoder.bert.read(ids, self.bias(ids))[:, 0]), dim=-1)

    def match(self, pixels, ids):
        """ITM's logits [batch, 2] that each image and its caption do not, and do, belong together."""
        bert, image = self.text_encoder.bert, self.visual_encoder(pixels.permute(0, 3, 1, 2))
        return self.itm_head(bert.fuse(bert.read(ids, self.bias(ids)), self.bias(ids), image)[:, 0])
