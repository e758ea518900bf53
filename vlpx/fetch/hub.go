package fetch

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Hub is the address of the Hugging Face hub. $HF_ENDPOINT names another one, as for the hub's own tools.
func Hub() string {
	if endpoint := os.Getenv("HF_ENDPOINT"); endpoint != "" {
		return strings.TrimRight(endpoint, "/")
	}
	return "https://huggingface.co"
}

// hubHome is the hub's folder of this user: $HF_HOME, or as its own tools have it.
func hubHome() string {
	if home := os.Getenv("HF_HOME"); home != "" {
		return home
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// HubCache is the folder in which the hub's own tools keep what they fetch: $HF_HUB_CACHE, or below $HF_HOME; "" where there is none.
func HubCache() string {
	if cache := os.Getenv("HF_HUB_CACHE"); cache != "" {
		return cache
	}
	if home := hubHome(); home != "" {
		return filepath.Join(home, "hub")
	}
	return ""
}

// token is the user's for the hub, and where it is from: $HF_TOKEN, or the file that the hub's own tools keep it in; "" for none.
func token() (token, from string) {
	if token := strings.TrimSpace(os.Getenv("HF_TOKEN")); token != "" {
		return token, "$HF_TOKEN"
	}
	file := os.Getenv("HF_TOKEN_PATH")
	if home := hubHome(); file == "" && home != "" {
		file = filepath.Join(home, "token")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", ""
	}
	return strings.TrimSpace(string(text)), file
}

// authorise gives the user's token to a request for a file of the hub, and to no other one.
func authorise(r *http.Request) {
	if value, _ := token(); value != "" && ofHub(r.URL.String()) {
		r.Header.Set("Authorization", "Bearer "+value)
	}
}

// refused says what to do about an answer for want of a right.
func refused(address string) string {
	value, from := token()
	switch {
	case !ofHub(address):
		return "the server lets nobody read it without a right that vlpx cannot show; fetch it elsewhere"
	case value == "":
		return "it asks for a token that may read it; set $HF_TOKEN"
	}
	return "the token of " + from + " may not read it; accept the terms on the hub's page, or take another token"
}

// ofHub tells an address of the hub.
func ofHub(address string) bool { return strings.HasPrefix(address, Hub()+"/") }
