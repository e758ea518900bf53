"""What methods do about negatives: targets and losses of ITC, ITM's pairs, new positives, and negatives that are left out."""

import math

import torch
from torch.nn import functional as F


def soft_cross_entropy(logits, targets):
    return -(F.log_softmax(logits, 1) * targets).sum(1).mean()


def two_views(u, v, tau):
    """NT-Xent of two views, the sum over the views of the mean over images."""
    z = torch.cat([u, v])
    logits = (z @ z.T / tau).masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), float("-inf"))
    return 2 * F.cross_entropy(logits, torch.arange(len(z), device=z.device).roll(len(u)))


def cosines(anchors, keys):
    """[anchors, keys]; of several vectors an image the most similar one counts."""
    if keys.ndim == 3:
        return cosines(keys, anchors).T
    if anchors.ndim == 3:
        return (anchors @ keys.T).amax(1)
    return anchors @ keys.T


def eye(like):
    return torch.eye(len(like), dtype=torch.bool, device=like.device)


def own_targets(logits, connections):
    """The own pair, which shares its place with a new positive; by images and by captions."""
    own = eye(logits).float()
    if connections is None or "ITC" not in connections.use:
        return own, own

    def share(picked, new):
        new = new.float()[:, None]
        return (own + F.one_hot(picked, len(own)) * new) / (1 + new)

    return share(connections.texts, connections.new_texts), share(connections.images, connections.new_images)


def both(i2t, t2i, i2t_targets, t2i_targets):
    return (soft_cross_entropy(i2t, i2t_targets) + soft_cross_entropy(t2i, t2i_targets)) / 2


# Each contrast takes embeddings, temperature, the mini-batch and new positives, and returns its loss and the similarities by which ITM picks.


class InfoNCE:
    def __init__(self, told, batch):
        self.smoothing = told["smoothing"]

    def __call__(self, u, w, tau, batch, connections):
        i2t = cosines(u, w) / tau
        targets = [(1 - self.smoothing) * t + self.smoothing / len(t) for t in own_targets(i2t, connections)]
        return both(i2t, i2t.T, *targets), i2t, i2t.T


class Consistency:
    """GRIT-VLP's: keys are detached, and each direction is taught by the other's predictions, too."""

    def __init__(self, told, batch):
        self.weight, self.convex = told["weight"], told["convex"]

    def __call__(self, u, w, tau, batch, connections):
        i2t, t2i = cosines(u, w.detach()) / tau, cosines(w, u.detach()) / tau
        base = both(i2t, t2i, *own_targets(i2t, connections))
        consistency = both(i2t, t2i, F.softmax(t2i.detach(), 1), F.softmax(i2t.detach(), 1))
        return (1 - self.weight if self.convex else 1) * base + self.weight * consistency, i2t, t2i


class Smoothed:
    """MAFA's S-ITC: a part of every target is spread over the mini-batch, from epoch 1 on."""

    def __init__(self, told, batch):
        self.alpha = told["alpha"] * (1 if told["first"] else min(1.0, math.floor(float(batch["progress"]))))

    def __call__(self, u, w, tau, batch, connections):
        i2t, t2i = cosines(u, w.detach()) / tau, cosines(w, u.detach()) / tau
        targets = [(1 - self.alpha) * t + self.alpha / len(t) for t in own_targets(i2t, connections)]
        return both(i2t, t2i, *targets), i2t, t2i


class SogCLR:
    """Negatives count by their share in a moving average an anchor, without those above a threshold that GloFND learns for each."""

    def __init__(self, told, batch):
        self.told, self.left, self.epoch = told, told["left"], math.floor(float(batch["progress"]))
        self.progress, self.kept = float(batch["progress"]), {name: x for name, x in batch.items() if name.startswith("state/")}
        decay, gamma = told["decay"], told["gamma"]
        self.gamma = gamma if decay == 0 else gamma + (1 - gamma) / 2 * (1 + math.cos(math.pi * min(1.0, self.epoch / decay)))

    def __call__(self, u, w, tau, batch, connections):
        tau = self.told["temperature"] or tau.detach()
        cos, losses, similar = cosines(u, w), [], []
        for side, x in (("image", cos), ("text", cos.T)):
            found = self.find(side, x.detach(), batch["index"]) if self.left else torch.zeros_like(eye(x))
            losses.append(self.side(side, x, tau, found, batch["index"]))
            some = found.sum(1, keepdim=True) < len(x) - 1
            similar.append((x / tau).masked_fill(found & some, -1e30))
        return sum(losses), *similar

    def side(self, side, x, tau, found, index):
        negative = ~eye(x) & ~found
        kept = negative.sum(1).float()
        count, has = kept.clamp(min=1), kept.clamp(max=1)
        with torch.no_grad():
            terms = torch.where(negative, (x / tau).clamp(max=80).exp(), torch.zeros_like(x))
            averages = self.kept[f"state/{side}/samples/average"]
            before = averages[index]
            weight = torch.where(before.sum() == 0, torch.ones_like(before), torch.full_like(before, self.gamma)) * has
            average = (1 - weight) * before + weight * terms.sum(1) / count
            averages[index] = average
            omega = terms / average.clamp(min=1e-30)[:, None]
        return ((omega * x).sum(1) / count - x.diagonal()).mean()

    def find(self, side, x, index):
        """The negatives above the anchors' thresholds, which are moved first by Adam."""
        left, negative = self.left, ~eye(x)
        state = [self.kept[f"state/left/{side}/samples/{name}"] for name in ("lambda", "mean", "variance")]
        threshold, mean, variance = (x[index] for x in state)
        if left["begins"] and left["learn"] <= self.progress < left["learn"] + 1:
            sorted_ = x.masked_fill(~negative, -2).sort(1, descending=True).values
            above = left["alpha"] * (len(x) - 2)
            place = math.floor(above)
            threshold = (1 - above + place) * sorted_[:, place] + (above - place) * sorted_[:, min(place + 1, len(x) - 1)]
        if self.progress >= left["learn"]:
            gradient = left["alpha"] - (negative & (x > threshold[:, None])).sum(1) / (len(x) - 1)
            mean = left["beta1"] * mean + (1 - left["beta1"]) * gradient
            variance = left["beta2"] * variance + (1 - left["beta2"]) * gradient**2
            corrected = [m / (1 - beta ** (self.epoch + 1)) for m, beta in ((mean, left["beta1"]), (variance, left["beta2"]))]
            threshold = (threshold - left["rate"] * corrected[0] / (corrected[1].sqrt() + left["epsilon"])).clamp(-1, 1)
            for kept, new in zip(state, (threshold, mean, variance)):
                kept[index] = new
        if self.progress < max(left["learn"], left["use"]):
            return torch.zeros_like(negative)
        return negative & (x > threshold[:, None])


KINDS = {"InfoNCE": InfoNCE, "consistency": Consistency, "smoothed": Smoothed, "SogCLR": SogCLR}


# ITM's pairs.


def negatives(i2t, t2i, noise=None):
    """Other images of the texts and other texts of the images: the hardest, or the draws from the softmax that noise makes."""
    own, i2t, t2i = eye(i2t), i2t.detach(), t2i.detach()
    if noise is not None:
        i2t, t2i = i2t + noise[0], t2i + noise[1]
    return t2i.masked_fill(own, float("-inf")).argmax(1), i2t.masked_fill(own, float("-inf")).argmax(1)


class Connections:
    """MAFA's: negatives that a frozen model finds matching are new positives, ambiguous ones give their place to the next hardest."""

    def __init__(self, told, reference, halved, u, w, tau, batch, noise):
        with torch.no_grad():
            i2t = cosines(u, w) / tau
            images, texts = negatives(i2t, i2t.T, noise)
            own = torch.arange(len(i2t), device=i2t.device)

            def without(z, picked):
                return z.masked_fill(F.one_hot(picked, len(z)).bool(), -1e30)

            second = negatives(without(i2t, texts), without(i2t.T, images), noise)
            with halved():
                _, _, states = reference.embed(batch)
                logits = reference.match(batch, states, torch.cat([images, own]), torch.cat([own, texts]))
            scores = F.softmax(logits, 1)[:, 1].split(len(own))
        low, high, self.use, self.images, self.texts = told["low"], told["high"], told["use"], images, texts
        self.new_images, self.new_texts = (score > high for score in scores)
        chosen, labels, weights = [own], [torch.ones_like(own)], [torch.ones_like(scores[0])]
        for first, other, score in zip((images, texts), second, scores):
            ambiguous, new = (score > low) & (score < high), score > high
            if "ITM" not in self.use:
                chosen, labels, weights = chosen + [first], labels + [torch.zeros_like(first)], weights + [torch.ones_like(score)]
                continue
            chosen.append(torch.where(ambiguous, other, first))
            labels.append(new.long())
            weights.append((ambiguous | (score < low) | new).float())
        self.pairs = torch.cat([own, chosen[1], own]), torch.cat([own, own, chosen[2]]), torch.cat(labels), torch.cat(weights)

    def further(self, room, codes):
        """The rows of new positives, images with their new captions first, of which there is room for so many."""
        own, new = torch.arange(len(self.images), device=self.images.device), torch.cat([self.new_texts, self.new_images])
        at = torch.sort((~new).long(), stable=True).indices[:room]
        images, texts = torch.cat([own, self.images]), torch.cat([self.texts, own])
        return images[at], texts[at], None if codes is None else codes[at], new[at]
