"""The model of this folder in PyTorch. It needs torch and numpy, and Pillow to read image files.

    import model
    m = model.load(".")                                    # the folder of this file
    images = m.embed_images(["a.jpg", array])              # files, or arrays [height, width, 3] of uint8
    texts = m.embed_texts(["a man on a horse"])
    similarity = images @ texts.T                          # cosines
    model.recall(images, texts, [0], 1)                    # TR@1 and IR@1; the image of each text is images[0]

In a shell, cosines of images (rows) and captions (columns): python3 model.py a.jpg b.png -- "a man on a horse" "two dogs"

Every number that shapes the model comes from config.json. Images are resized as vlpx does it, which is bicubic with an antialiasing
kernel, as PIL's, but is not rounded between rows and columns, and not rounded at the end: values are cut to whole ones. Transparent pixels
are black. With PIL's own resize a value differs by 1 of 255 in places, and a caption may change its rank. JPEG files give slightly other
values in PIL than in vlpx, which repeats the halved colours where PIL's decoder interpolates them; PNG files give the same.
"""

import html
import json
import struct
import sys
import unicodedata
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn.functional import avg_pool2d, gelu, normalize, relu


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


# MODEL


# Images.


def bicubic(length, side):
    """The weights [side, length] by which a row of pixels becomes side pixels: Catmull-Rom, wider where it shrinks."""
    scale = length / side
    centre = (numpy.arange(side)[:, None] + 0.5) * scale - 0.5
    t = numpy.abs(centre - numpy.arange(length)) / max(scale, 1)
    near, far = (1.5 * t - 2.5) * t * t + 1, ((-0.5 * t + 2.5) * t - 4) * t + 2
    weights = numpy.where(t < 1, near, numpy.where(t < 2, far, 0))
    return weights / weights.sum(1, keepdims=True)


def resize(pixels, side):
    """An image [height, width, 3], or with its alpha [height, width, 4], of 0 to 255 squashed to [side, side, 3] of uint8."""
    height, width = pixels.shape[:2]
    wide = numpy.einsum("yx,hxc->hyc", bicubic(width, side), pixels / 255)
    square = numpy.einsum("yh,hxc->yxc", bicubic(height, side), wide)
    square = numpy.minimum(square[..., :3], square[..., 3:].clip(0, 1) if pixels.shape[2] > 3 else 1).clip(0)
    return ((square * 65535 + 0.5).astype(numpy.uint16) >> 8).astype(numpy.uint8)


def read_image(path):
    """The pixels of an image file, as resize takes them: of one with an alpha the colours times that."""
    from PIL import Image

    image = Image.open(path)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        pixels = numpy.asarray(image.convert("RGBA")).astype(numpy.float64)
        pixels[..., :3] = pixels[..., :3] * pixels[..., 3:] * 257 // 255 / 257
        return pixels
    return numpy.asarray(image.convert("RGB"))


# Captions.


def is_punctuation(sign):
    code = ord(sign)
    if code < 127:
        return code > 32 and not sign.isalnum()
    return unicodedata.category(sign).startswith("P")


class WordPiece:
    """BERT's tokens between [CLS] and [SEP]."""

    def __init__(self, rules):
        self.vocabulary, self.longest = rules["model"]["vocab"], rules["model"].get("max_input_chars_per_word", 100)
        normalizer = rules["normalizer"] or {}
        self.lower = normalizer.get("lowercase", True)
        strip = normalizer.get("strip_accents")
        self.strip = self.lower if strip is None else strip
        self.start, self.end = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]

    def clean(self, caption, most):
        """A caption as ALBEF's pre-training sees it: without signs, in lower case, of so many words."""
        caption = "".join(sign.lower() for sign in caption if sign not in ",.'!?\"()*#:;~")
        caption = caption.replace("-", " ").replace("/", " ").replace("<person>", "person")
        return caption.split()[: most or None]

    def words(self, text):
        kept = []
        for sign in text:
            if sign in "\t\n\r":
                kept.append(" ")
            elif sign in "\0\ufffd" or unicodedata.category(sign) in ("Cc", "Cf"):
                continue
            else:
                ideograph = any(a <= ord(sign) <= b for a, b in IDEOGRAPHS)
                kept.append(f" {sign} " if ideograph else sign)
        text = "".join(kept)
        if self.strip:
            text = "".join(sign for sign in unicodedata.normalize("NFD", text) if unicodedata.category(sign) != "Mn")
        if self.lower:
            text = text.lower()
        return "".join(f" {sign} " if is_punctuation(sign) else sign for sign in text).split()

    def pieces(self, word):
        if len(word) > self.longest:
            return [self.vocabulary["[UNK]"]]
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.vocabulary:
                    break
            else:
                return [self.vocabulary["[UNK]"]]
            found.append(self.vocabulary[piece])
            start = end
        return found

    def ids(self, caption, most):
        return [i for part in self.clean(caption, most) for word in self.words(part) for i in self.pieces(word)]


IDEOGRAPHS = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
              (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]


class BytePairs:
    """CLIP's tokens between its start and its end."""

    def __init__(self, rules):
        self.vocabulary = rules["model"]["vocab"]
        merges = (merge.split(" ") if isinstance(merge, str) else merge for merge in rules["model"]["merges"])
        self.ranks = {tuple(merge): rank for rank, merge in enumerate(merges)}
        printed = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
        others = [byte for byte in range(256) if byte not in printed]
        self.signs = {**{byte: chr(byte) for byte in printed}, **{byte: chr(0x100 + n) for n, byte in enumerate(others)}}
        self.start, self.end = self.vocabulary["<|startoftext|>"], self.vocabulary["<|endoftext|>"]

    def parts(self, word):
        """Contractions, runs of letters, single digits, and runs of other signs."""

        def kind(sign):
            return {"L": "L", "N": "N"}.get(unicodedata.category(sign)[0], "")

        while word:
            size = next((len(c) for c in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if word.startswith(c)), 0)
            if not size:
                size, first = 1, kind(word[0])
                while first != "N" and size < len(word) and kind(word[size]) == first:
                    size += 1
            yield word[:size]
            word = word[size:]

    def ids(self, caption, _):
        caption = unicodedata.normalize("NFC", html.unescape(html.unescape(caption))).lower()
        return [i for word in caption.split() for part in self.parts(word) for i in self.pieces(part)]

    def pieces(self, part):
        pieces = [self.signs[byte] for byte in part.encode()]
        pieces[-1] += "</w>"
        while len(pieces) > 1:
            best = min(range(len(pieces) - 1), key=lambda n: self.ranks.get((pieces[n], pieces[n + 1]), len(self.ranks)))
            if (pieces[best], pieces[best + 1]) not in self.ranks:
                break
            pieces[best : best + 2] = [pieces[best] + pieces[best + 1]]
        return [self.vocabulary.get(piece, self.end) for piece in pieces]


# Both.


class Embedder:
    """A model with what prepares its images and captions."""

    def __init__(self, folder):
        folder = Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        rules = json.loads((folder / "tokenizer.json").read_text())
        self.tokenizer = {"WordPiece": WordPiece, "BPE": BytePairs}[rules["model"]["type"]](rules)
        self.model = Model(self.config).eval()
        weights = read_safetensors(folder / "model.safetensors")
        self.model.load_state_dict({name: w for name, w in weights.items() if not name.startswith("vlpx.")}, strict=True)
        self.side = self.config.get("image_res") or self.config["vision_cfg"]["image_size"]

    def pixels(self, image):
        """The normalised pixels [side, side, 3] of a file or of an array [height, width, 3] of uint8."""
        array = image if isinstance(image, numpy.ndarray) else read_image(image)
        mean, deviation = (numpy.array(self.config[name]) for name in ("image_mean", "image_std"))
        return torch.tensor((resize(array, self.side) / 255 - mean) / deviation, dtype=torch.float32)

    def ids(self, caption):
        """The ids [max_tokens] of a caption."""
        t, most = self.tokenizer, self.config["max_tokens"]
        ids = [t.start, *t.ids(caption, self.config.get("max_words"))[: most - 2], t.end]
        return torch.tensor(ids + [0] * (most - len(ids)))

    def embed_images(self, images, batch=32):
        return embed(self.model.encode_image, (self.pixels(image) for image in images), batch)

    def embed_texts(self, captions, batch=256):
        return embed(self.model.encode_text, (self.ids(caption) for caption in captions), batch)


@torch.no_grad()
def embed(encode, inputs, batch):
    """The embeddings of inputs. Equal ones have the same, whose last digits would depend on the rows that they are computed with."""
    distinct, places = {}, []
    for x in inputs:
        places.append(distinct.setdefault(x.numpy().tobytes(), (len(distinct), x))[0])
    rows = [x for _, x in distinct.values()]
    return torch.cat([encode(torch.stack(rows[n : n + batch])) for n in range(0, len(rows), batch)])[places]


def recall(images, texts, owners, k):
    """TR@K and IR@K in per cent by the cosine, as vlpx counts them: the right candidate ranks last among those that are as near as it.

    owners has the image of each text. Each image has a text of its own.
    """
    owners = torch.as_tensor(owners)
    cosines, own = images.double() @ texts.double().T, owners == torch.arange(len(images))[:, None]
    as_near = 1e-7  # apart from rounding
    best = cosines.masked_fill(~own, -2).amax(1, keepdim=True)
    nearer_texts = ((cosines >= best - as_near) & ~own).sum(1)
    nearer_images = ((cosines >= cosines[owners, torch.arange(len(texts))] - as_near) & ~own).sum(0)
    return tuple(100 * (nearer < k).double().mean().item() for nearer in (nearer_texts, nearer_images))


def load(folder):
    """The model of a folder that vlpx export wrote."""
    return Embedder(folder)


if __name__ == "__main__":
    if "--" not in sys.argv[2:-1]:
        sys.exit(__doc__)
    split = sys.argv.index("--")
    embedder = load(Path(__file__).parent)
    for row in embedder.embed_images(sys.argv[1:split]) @ embedder.embed_texts(sys.argv[split + 1 :]).T:
        print(*(f"{cosine:.4f}" for cosine in row))
