"""SimCLR: torchvision's ResNet, and a projection head in the place of its classifier."""

from torch import nn
from torch.nn import functional as F


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
        views = (self.base_encoder(batch[name]).float() for name in ("image", "second view"))
        return (*(F.normalize(view, dim=-1) for view in views), None)
