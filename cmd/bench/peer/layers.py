"""What the models share."""

from torch import nn
from torch.nn import functional as F


def attend(query, key, value, heads, bias=None):
    """Multi-head attention of [rows, tokens, width]; bias, broadcast to [rows, heads, tokens, tokens], is added to the logits."""
    if bias is not None:
        bias = bias.to(query.dtype)

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


class LayerNorm(nn.LayerNorm):
    """In float32, as autocast has it on a GPU; PyTorch 1 has none of bfloat16 with weights of float32 on a processor."""

    def forward(self, x):
        return super().forward(x.float())


class Named(nn.Module):
    """A module of the given children."""

    def __init__(self, **children):
        super().__init__()
        for name, child in children.items():
            self.add_module(name, child)
