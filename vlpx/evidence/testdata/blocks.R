# The numbers of blocks.json: R 4.2.2 with limma 3.54.1. Rscript blocks.R > blocks.json
library(limma)
# Image R@1 of five methods in four blocks, made up.
y <- rbind(c(44.2, 44.28, 44.4, 43.9), c(44.48, 43.6, 43.52, 43.1), c(38.64, 37.84, 37.56, 38.2), c(42.68, 42.76, 42.56, 41.9),
           c(45.64, 44.64, 43.44, 46.2))
long <- data.frame(y = as.vector(t(y)), method = factor(rep(1:5, each = 4)), block = factor(rep(1:4, 5)))
fit <- lm(y ~ method + block, long)
ms <- deviance(fit) / df.residual(fit)
c2 <- summary(fit)$coefficients["method2", ]
ends <- confint(fit)["method2", ]
gain <- mean(y[1, ] - y[2, ] - y[3, ] + y[4, ])
tgain <- gain / sqrt(4 * ms / 4)
tost <- function(d, se, df, margin) max(pt((d - margin) / se, df), pt((d + margin) / se, df, lower.tail = FALSE))
# Residual variances of the rows, whose mean is the mean square, and limma's prior and squeezed variances.
r <- matrix(residuals(fit), 5, byrow = TRUE)
v <- rowSums(r^2) * 5 / 4 / 3
prior <- fitFDist(v, 3)
wild <- c(.01, .2, 1, 4, 30, .5)
apart <- fitFDist(wild, 3)
alike <- fitFDist(c(1, 1.1, .9, 1.05), 3)
own <- y[5, ] - y[1, ]
post <- limma:::.squeezeVar(var(own), df = 3, var.prior = 2 * prior$scale, df.prior = prior$df2)
dfm <- min(3 + prior$df2, 12)
paired <- t.test(y[5, ], y[1, ], paired = TRUE)
tail <- function(t, df) 2 * pt(abs(t), df, lower.tail = FALSE)
# Power of the pooled test of 11 rows in 8 blocks for a difference of one standard deviation, at .05 / 6.
crit <- qt(1 - .05 / 12, 70)
power <- pt(crit, 70, ncp = sqrt(8), lower.tail = FALSE) + pt(-crit, 70, ncp = sqrt(8))
number <- function(x) if (is.infinite(x)) "null" else format(x, digits = 12)
all <- list(variance = ms, difference = unname(c2[1]), p = unname(c2[4]), low = unname(ends[1]), high = unname(ends[2]),
  equivalence = tost(c2[1], c2[2], 12, 1), gain = gain, gain_p = tail(tgain, 12), prior = prior$scale, prior_freedom = prior$df2,
  moderated_sd = sqrt(post), moderated_p = tail(mean(own) / sqrt(post / 4), dfm), paired_p = paired$p.value,
  apart = apart$scale, apart_freedom = apart$df2, alike = alike$scale, power = power)
cat("{\n", paste0(" \"", names(all), "\": ", sapply(all, number), collapse = ",\n"), "\n}\n", sep = "")
