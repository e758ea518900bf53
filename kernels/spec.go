package kernels

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vlpx.internal/vlpx/disk"
)

// Name is the kernel's name in a notebook's metadata; DisplayName is what Jupyter's menus show.
const (
	Name        = "vlpx"
	DisplayName = "Go (vlpx)"
)

//go:embed launch.sh
var launcher []byte

//go:embed go.sh
var goScript []byte

//go:embed goimports.sh
var goimportsScript []byte

//go:embed gopls.sh
var goplsScript []byte

// installed is what the kernelspec remembers of its installation, in kernel.json's metadata.
type installed struct {
	Checkout string `json:"checkout"` // where it was installed from
	Tools    string `json:"tools"`    // identity of the programs; see toolsIdentity
	Link     string `json:"link"`     // the linker's flags for a cell
	Go       string `json:"go"`       // the folder of the go command
}

// spec is Jupyter's kernel.json.
type spec struct {
	Argv          []string `json:"argv"`
	DisplayName   string   `json:"display_name"`
	Language      string   `json:"language"`
	InterruptMode string   `json:"interrupt_mode"`
	Metadata      struct {
		Installed *installed `json:"vlpx,omitempty"`
	} `json:"metadata"`
}

// readSpec returns what the kernelspec in dir remembers. The error is fs.ErrNotExist where there is none.
func readSpec(dir string) (installed, error) {
	path := filepath.Join(dir, "kernel.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return installed{}, err
	}
	var s spec
	if err := json.Unmarshal(text, &s); err != nil {
		return installed{}, fmt.Errorf("%s: %w; delete it, and install the kernel again", path, err)
	}
	if s.Metadata.Installed == nil {
		return installed{}, nil // by an older version
	}
	return *s.Metadata.Installed, nil
}

// specFiles are the files of a kernelspec beside the programs, in the order in which they are written: kernel.json comes
// last, because Jupyter takes no notice of a folder without it.
func specFiles(of installed) ([]specFile, error) {
	s := spec{
		Argv:        []string{"/bin/sh", "{resource_dir}/launch.sh", of.Checkout, "{connection_file}", of.Link, of.Go},
		DisplayName: DisplayName,
		Language:    "go",
		// GoNB hands an interrupt on to the cell's process; a signal would end GoNB itself.
		InterruptMode: "message",
	}
	s.Metadata.Installed = &of
	description, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	small, err := logoPNG(32)
	if err != nil {
		return nil, err
	}
	large, err := logoPNG(64)
	if err != nil {
		return nil, err
	}
	return []specFile{
		{"bin/go", goScript, 0o755},
		{"bin/goimports", goimportsScript, 0o755},
		{"bin/gopls", goplsScript, 0o755},
		{"launch.sh", launcher, 0o644},
		{"logo-32x32.png", small, 0o644},
		{"logo-64x64.png", large, 0o644},
		{"logo-svg.svg", logoSVG(), 0o644},
		{"kernel.json", append(description, '\n'), 0o644},
	}, nil
}

type specFile struct {
	name    string
	content []byte
	mode    fs.FileMode
}

// writeSpec writes the kernelspec's own files into dir, each as a whole.
func writeSpec(dir string, of installed) error {
	files, err := specFiles(of)
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(filepath.Join(dir, "bin")); err != nil {
		return err
	}
	for _, file := range files {
		if err := disk.WriteFile(filepath.Join(dir, file.name), file.content, file.mode); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(dir, file.name), err)
		}
	}
	return nil
}
