# vlpx from Debian's packages and the module proxy, from which Debian's Go fetches the Go that go.mod names, too. The stage dev is the
# devcontainer's. No CI builds it.
FROM debian:trixie AS dev
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates gcc git golang-go libc6-dev && rm -rf /var/lib/apt/lists/*
ENV GOTOOLCHAIN=auto
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download

FROM dev AS build
COPY . .
RUN go build -o /usr/local/bin/vlpx ./cmd/vlpx

FROM debian:trixie-slim
COPY --from=build /usr/local/bin/vlpx /usr/local/bin/vlpx
ENV VLPX_HOME=/store
ENTRYPOINT ["vlpx"]
