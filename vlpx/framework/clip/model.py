def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


class Layer(nn.Module):
    def __init__(self, width, heads, ratio, activation):
        super().__init__()
        inner = round(width * ratio)
        self.activation = activation
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = Named(c_fc=nn.Linear(width, inner), c_proj=nn.Linear(inner, width))

    def forward(self, x, mask):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False, attn_mask=mask)[0]
        return x + self.mlp.c_proj(self.activation(self.mlp.c_fc(self.ln_2(x))))


class Transformer(nn.Module):
    def __init__(self, layers, *sizes):
        super().__init__()
        self.resblocks = nn.ModuleList(Layer(*sizes) for _ in range(layers))

    def forward(self, x, mask=None):
        for layer in self.resblocks:
            x = layer(x, mask)
        return x


class ViT(nn.Module):
    def __init__(self, c, embed, activation, pooling):
        super().__init__()
        width, patch = c["width"], c["patch_size"]
        self.pooling = pooling
        self.conv1 = nn.Conv2d(3, width, patch, patch, bias=False)
        self.class_embedding = nn.Parameter(torch.empty(width))
        self.positional_embedding = nn.Parameter(torch.empty((c["image_size"] // patch) ** 2 + 1, width))
        self.ln_pre, self.ln_post = nn.LayerNorm(width), nn.LayerNorm(width)
        self.transformer = Transformer(c["layers"], width, width // c["head_width"], c["mlp_ratio"], activation)
        self.proj = nn.Parameter(torch.empty(width, embed))

    def forward(self, pixels):
        patches = self.conv1(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_embedding.expand(len(patches), 1, -1), patches], 1) + self.positional_embedding
        x = self.ln_post(self.transformer(self.ln_pre(x)))
        return {"class": x[:, 0], "mean": x.mean(1)}[self.pooling] @ self.proj


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs, self.stride = 4 * width, stride
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride > 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = relu(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(avg_pool2d(relu(self.bn2(self.conv2(y))), self.stride)))
        return relu(y + (x if self.downsample is None else self.downsample(avg_pool2d(x, self.stride))))


class AttentionPool(nn.Module):
    def __init__(self, places, width, heads, embed):
        super().__init__()
        self.heads = heads
        self.positional_embedding = nn.Parameter(torch.empty(places + 1, width))
        self.q_proj, self.k_proj, self.v_proj = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.c_proj = nn.Linear(width, embed)

    def forward(self, x):
        x = x.flatten(2).transpose(1, 2)
        x = torch.cat([x.mean(1, keepdim=True), x], 1) + self.positional_embedding
        return self.c_proj(attend(self.q_proj(x[:, :1]), self.k_proj(x), self.v_proj(x), self.heads))[:, 0]


class ResNet(nn.Module):
    def __init__(self, c, embed):
        super().__init__()
        width, stages = c["width"], len(c["layers"])
        self.stages = stages
        for i, (inputs, outputs) in enumerate([(3, width // 2), (width // 2, width // 2), (width // 2, width)], 1):
            self.add_module(f"conv{i}", nn.Conv2d(inputs, outputs, 3, stride=2 if i == 1 else 1, padding=1, bias=False))
            self.add_module(f"bn{i}", nn.BatchNorm2d(outputs))
        inputs = width
        for stage, blocks in enumerate(c["layers"]):
            inner, layer = width << stage, []
            for block in range(blocks):
                layer.append(Bottleneck(inputs, inner, 2 if stage > 0 and block == 0 else 1))
                inputs = 4 * inner
            self.add_module(f"layer{stage + 1}", nn.Sequential(*layer))
        self.attnpool = AttentionPool((c["image_size"] // (4 << (stages - 1))) ** 2, inputs, inputs // c["head_width"], embed)

    def forward(self, x):
        for i in (1, 2, 3):
            x = relu(getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x)))
        x = avg_pool2d(x, 2)
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.attnpool(x)


class Model(nn.Module):
    """CLIP, whose modules have the names of the published code; what they compute is written anew from the paper."""

    def __init__(self, config):
        super().__init__()
        vision, text, embed = config["vision_cfg"], config["text_cfg"], config["embed_dim"]
        activation = quick_gelu if config["quick_gelu"] else gelu
        if isinstance(vision["layers"], list):
            self.visual = ResNet(vision, embed)
        else:
            self.visual = ViT(vision, embed, activation, config["image_pooling"])
        self.pooling = config["text_pooling"]
        self.transformer = Transformer(text["layers"], text["width"], text["heads"], text["mlp_ratio"], activation)
        self.token_embedding = nn.Embedding(text["vocab_size"], text["width"])
        self.positional_embedding = nn.Parameter(torch.empty(text["context_length"], text["width"]))
        self.ln_final = nn.LayerNorm(text["width"])
        self.text_projection = nn.Parameter(torch.empty(text["width"], embed))
        self.logit_scale = nn.Parameter(torch.empty([]))

    def encode_image(self, pixels):
        """Embeddings [batch, embed_dim] of unit length, of pixels [batch, side, side, 3]."""
        return normalize(self.visual(pixels.permute(0, 3, 1, 2)), dim=-1)

    def encode_text(self, ids):
        """Embeddings [batch, embed_dim] of unit length, of ids [batch, tokens], padded with 0."""
        tokens = ids.shape[1]
        mask = torch.full((tokens, tokens), float("-inf")).triu(1)
        x = self.token_embedding(ids) + self.positional_embedding[:tokens]
        x = self.ln_final(self.transformer(x, mask))
        end = {"largest": ids.argmax(1), "last": (ids.ne(0) * torch.arange(tokens)).argmax(1)}[self.pooling]
        return normalize(x[torch.arange(len(x)), end] @ self.text_projection, dim=-1)
