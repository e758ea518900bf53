package browser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"vlpx.internal/vlpx/engine"
)

// playwright-core is Playwright without browsers of its own (Apache licence); the checksum is the npm archive's.
const (
	playwrightVersion = "1.65.1"
	playwrightSHA256  = "6f5a60be62a4fddfbe7d10c448d8fbd54547da3358f2f8a04211440471ee863e"
)

// playwright returns the folder of the npm package playwright-core in the user's cache; npm fetches it the first time.
func playwright(ctx context.Context) (string, error) {
	parent := filepath.Join(engine.Cache(), "playwright-core")
	dir := filepath.Join(parent, playwrightVersion)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	staging, err := os.MkdirTemp(parent, ".install-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(staging)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := command(ctx, staging, "npm", "pack", "playwright-core@"+playwrightVersion, "--ignore-scripts", "--no-update-notifier",
		"--loglevel=error", "--fetch-retries=1"); err != nil {
		return "", err
	}
	archive := fmt.Sprintf("playwright-core-%s.tgz", playwrightVersion)
	packed, err := os.ReadFile(filepath.Join(staging, archive))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != playwrightSHA256 {
		return "", fmt.Errorf("%s has SHA-256 %x, want %s: the registry served something else", archive, sum, playwrightSHA256)
	}
	if err := command(ctx, staging, "tar", "-xzf", archive); err != nil {
		return "", err
	}
	// Another test process may have been faster; its copy is as good.
	if err := os.Rename(filepath.Join(staging, "package"), dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
}

// command runs a program in dir; an error carries what it complained about.
func command(ctx context.Context, dir, name string, arguments ...string) error {
	c := exec.CommandContext(ctx, name, arguments...)
	c.Dir = dir
	var complaint bytes.Buffer
	c.Stderr = &complaint
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, complaint.String())
	}
	return nil
}
