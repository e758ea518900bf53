package kernels

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// offline is a template of nbconvert's that is JupyterLab's less what it would fetch from the network: RequireJS, MathJax,
// Mermaid and the widgets' scripts. Formulas stay as they were typed.
var offline = map[string]string{
	"conf.json": `{"base_template": "lab", "mimetypes": {"text/html": true}}`,
	"index.html.j2": `{%- extends "lab/index.html.j2" -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
`,
}

// toHTML renders an executed notebook as one page that needs nothing else.
func toHTML(ctx context.Context, nbconvert, notebook string) ([]byte, error) {
	staging, err := os.MkdirTemp("", "vlpx-html-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(staging)
	template := filepath.Join(staging, "offline")
	if err := os.Mkdir(template, 0o755); err != nil {
		return nil, err
	}
	for name, text := range offline {
		if err := os.WriteFile(filepath.Join(template, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	err = convert(ctx, nbconvert, os.Environ(), notebook, "--to", "html", "--template", "offline",
		"--TemplateExporter.extra_template_basedirs="+staging, "--HTMLExporter.embed_images=True",
		"--output-dir", staging, "--output", "page.html")
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(staging, "page.html"))
	if err != nil {
		return nil, err
	}
	if found := fetched.FindSubmatch(page); found != nil {
		return nil, fmt.Errorf("the page would fetch %s when it is read; take the output that asks for it out of the notebook", found[1])
	}
	return page, nil
}

// fetched matches what a browser loads from elsewhere while it shows a page.
var fetched = regexp.MustCompile(`<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)\s*=\s*["']?((?:https?:)?//[^"'\s>]+)`)
