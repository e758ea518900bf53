package cell

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"golang.org/x/term"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
)

// Shown is what has a form for a page and one for a terminal, such as a [plots.Table].
type Shown interface {
	HTML(io.Writer) error
	Text(io.Writer, tables.Terminal) error
}

// Screen is a page or a terminal. Not for concurrent use.
type Screen interface {
	// Show writes values below what is there: each is [Shown] or a [plots.Drawing], for which a terminal has no place.
	Show(what ...any) error
	// Say writes lines of text.
	Say(lines ...string)
	// Block is a new place below what is there that is written over and over.
	Block() Block
	// Live tells whether it is a page before which somebody may sit, to watch curves and press buttons.
	Live() bool
	// Close waits until all is there.
	Close() error
}

// Block is a place on a screen that shows the latest of what it is given.
type Block interface {
	// Head puts lines above the text, which stay; in a terminal they are written once.
	Head(lines ...string)
	// Set shows a text and, on a page, a picture, which may be nil.
	Set(text string, picture plots.Drawing)
	// Show shows values instead, as a screen does.
	Show(what ...any) error
	// Erase leaves nothing on a page.
	Erase()
}

// Open opens the screen of this program.
func Open() Screen {
	if gonbui.IsNotebook {
		return page{}
	}
	return console{}
}

// page is the output of a cell.
type page struct{}

func (page) Show(what ...any) error {
	for _, v := range what {
		content, png, err := rendered(v, 0)
		switch {
		case err != nil:
			return err
		case png != nil:
			gonbui.DisplayPng(png)
		default:
			gonbui.DisplayHTML(content)
		}
	}
	return nil
}

// rendered is a value for a page: HTML, or of a drawing a PNG, of the picture formats the one that every front end keeps, trusted or not.
func rendered(v any, dpi int) (content string, png []byte, err error) {
	var b bytes.Buffer
	switch v := v.(type) {
	case Shown:
		err = v.HTML(&b)
		return b.String(), nil, err
	case plots.Drawing:
		err = v.PNG(&b, dpi)
		return "", b.Bytes(), err
	}
	return "", nil, unknown(v)
}

// unknown is the error of a value that is neither.
func unknown(v any) error {
	return fmt.Errorf("nothing shows a %T; show a report, a table or a drawing", v)
}

func (page) Say(lines ...string) {
	if len(lines) == 0 {
		return
	}
	text := ""
	for _, line := range lines {
		text += "<div>" + html.EscapeString(line) + "</div>"
	}
	gonbui.DisplayHTML(`<div style="font-size: 90%; opacity: .8">` + text + "</div>")
}

func (page) Block() Block {
	b := &pageBlock{id: "vlpx_" + gonbui.UniqueId()}
	b.Erase() // takes the place
	return b
}

// Live is true where a Jupyter server started the kernel: only then does GoNB know the kernel's name there.
func (page) Live() bool { return os.Getenv("GONB_JUPYTER_KERNEL_ID") != "" }

// Close is bounded: a kernel that died meanwhile never answers.
func (page) Close() error {
	if err := within(closeTime, gonbui.Sync); err != nil {
		return err
	}
	return gonbui.Error()
}

// closeTime is how long a kernel that is busy may take to pass on what was shown.
const closeTime = 30 * time.Second

// within waits for a page that takes what was shown.
func within(limit time.Duration, sync func()) error {
	done := make(chan struct{})
	go func() {
		sync()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(limit):
		return fmt.Errorf("the notebook's kernel did not take what is shown within %v, so that some of it may be missing; results "+
			"are in the "+
			"store: restart the kernel and run the cell again", limit)
	}
}

type pageBlock struct {
	id   string
	head []string
}

// livePixels is the resolution of pictures that are drawn anew every few seconds, in dots per inch.
const livePixels = 100

func (b *pageBlock) Head(lines ...string) {
	b.head = lines
	b.Set("", nil)
}

func (b *pageBlock) Set(text string, picture plots.Drawing) {
	content := preformatted(strings.TrimSpace(strings.Join(b.head, "\n") + "\n" + text))
	if picture != nil {
		_, png, err := rendered(picture, livePixels)
		if err != nil {
			content += preformatted(err.Error())
		} else {
			content += embedded(png)
		}
	}
	gonbui.UpdateHTML(b.id, content)
}

func (b *pageBlock) Show(what ...any) error {
	all := ""
	for _, v := range what {
		content, png, err := rendered(v, 0)
		if err != nil {
			return err
		}
		if png != nil {
			content = embedded(png)
		}
		all += content
	}
	gonbui.UpdateHTML(b.id, all)
	return nil
}

func (b *pageBlock) Erase() {
	b.head = nil
	gonbui.UpdateHTML(b.id, "")
}

// embedded is a picture within HTML.
func embedded(png []byte) string {
	return `<img alt="figure" style="max-width: 100%" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(png) + `">`
}

func preformatted(text string) string {
	return `<pre style="margin: 0">` + html.EscapeString(text) + "</pre>"
}

// console is a terminal, or a file that stands for one.
type console struct{}

func (console) Show(what ...any) error {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = fileWidth
	}
	for _, v := range what {
		switch v := v.(type) {
		case Shown:
			if err := v.Text(os.Stdout, tables.Terminal{Width: width, Style: err == nil}); err != nil {
				return err
			}
		case plots.Drawing:
		default:
			return unknown(v)
		}
	}
	return nil
}

func (console) Say(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(os.Stderr, line)
	}
}

func (console) Block() Block { return &consoleBlock{shown: term.IsTerminal(int(os.Stderr.Fd()))} }

func (console) Live() bool { return false }

func (console) Close() error { return nil }

// fileWidth is how wide tables are where there is no terminal, and logEvery how often a line tells then where a block is.
const (
	fileWidth = 120
	logEvery  = 10 * time.Second
)

// consoleBlock is a line on standard error: written over in a terminal, else a new one now and then.
type consoleBlock struct {
	shown, written bool
	logged         time.Time
}

func (b *consoleBlock) Head(lines ...string) { console{}.Say(lines...) }

func (b *consoleBlock) Set(text string, _ plots.Drawing) {
	if b.shown {
		b.written = true
		fmt.Fprint(os.Stderr, "\r\x1b[K"+text)
	} else if time.Since(b.logged) >= logEvery {
		b.logged = time.Now()
		fmt.Fprintln(os.Stderr, text)
	}
}

func (b *consoleBlock) Show(what ...any) error {
	b.Erase()
	return console{}.Show(what...)
}

func (b *consoleBlock) Erase() {
	if b.written {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
