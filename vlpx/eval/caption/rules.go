package caption

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// rule finds tokens of one kind.
type rule struct {
	first   string // what its tokens start with: kinds of characters, "a" letters, "0" digits, "é" others than ASCII, else the characters
	pattern *regexp.Regexp
	write   func(token string) []string
}

func (r rule) startsWith(c byte) bool {
	switch {
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		c = 'a'
	case '0' <= c && c <= '9':
		c = '0'
	case c >= 0x80:
		return strings.Contains(r.first, "é")
	}
	return strings.IndexByte(r.first, c) >= 0
}

// Classes of characters and parts of patterns. Letters in a class are as they are written; words are of any case.
const (
	letter     = `[\p{L}\p{M}\x{AD}]`
	wordly     = `[\p{L}\p{Nd}]`
	apostrophe = "(?:['\u0092’´]|(?i:&apos;))"
	anyQuote   = "(?:" + apostrophe + "|[`\u0091‘‛])" // those that stand for an apostrophe within a word
	space      = `[ \t\x{A0}\x{2000}-\x{200A}\x{3000}\n]`
	tag        = `[A-Za-z][A-Za-z0-9_:.-]*`
	hyphen     = `[-_\x{58A}\x{2010}\x{2011}]`
	inSentence = `[,;:、]`

	word        = letter + `(?:` + letter + `|\p{Nd})*(?:[.!?]` + letter + `(?:` + letter + `|\p{Nd})*)*`
	auxiliary   = apostrophe + `(?:[msdMSD]|(?i:re|ve|ll))`
	negated     = `(?i:n)` + anyQuote + `(?i:t)`
	quotes      = apostrophe + "|''|[`‘-‟‹›«»\u0091-\u0094]{1,2}"
	number      = `(?:\p{Nd}*(?:[.,٫٬]\p{Nd}+)+|\p{Nd}+(?:[.:,\x{AD}٫٬]\p{Nd}+)*)`
	elision     = `(?:[dDoOlL]` + anyQuote + wordly + `)?`
	hyphenated  = elision + `(?:` + wordly + `+|[-+]?` + number + `)(?:` + hyphen + elision + `(?:` + wordly + `+|` + number + `))*`
	initials    = `(?:[A-Za-z](?:\.[A-Za-z])*|(?i:canada|sino|korean|eu|japan|non)-(?i:u\.s)|(?i:u\.s\.-(?:u\.k|u\.s\.s\.r)))`
	withHyphens = wordly + `[\p{L}\p{Nd}.,\x{AD}]*(?:-(?:[\p{L}\p{Nd}\x{AD}]+(?:\.\p{Nd}+)?|[A-Za-z](?:\.[A-Za-z])+\.))+`
)

// Abbreviations that keep their full stop. Usual are usually followed by small letters, titles by capitals; those of states that are words
// without their capital need it.
var (
	usual = alternatives(
		"jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri",
		"ala ariz calif colo conn ct dak fla ga ind kans? ky md mich minn mo mont neb nev okla penn tenn va vt wisc? wyo",
		"inc cos? corp pp?t[ye]s? ltd plc rt bancorp bhd assn univ intl sys tel est ext sq jr bros ed\\.d ph\\.d esq etc al seq bldg",
	) + `|[A](?i:z|rk)|[D](?i:el)|[I](?i:ll)|[L](?i:a)|[M](?i:ass|iss)|[O](?i:re)|[P](?i:a)|[T](?i:ex)|[W](?i:ash)`
	titles = alternatives(
		"mr mrs ms drs? profs? sens? reps? attys? lt col gen messrs govs? adm rev maj sgt cpl pvt capt ste? ave pres lieut rt hon "+
			"brig co?mdr",
		"pfc spc supts? det mt ft adj adv asst assoc ens insp mlle mme msgr sfc sr",
		"vs alex wm jos cie a\\.k\\.a cf treas ph invt elec natl m[ft]g dept blvd rd",
	) + `|[v]`
)

// openers start a sentence: an initial before one of them ended the sentence before.
const openers = `(?:[A](?i:bout|ccording|dditionally|fter|n|s|t)?|[B](?i:ut)|[D](?i:id|uring)|[E](?i:arlier)|[H](?i:ere|er|e|owever|ow)|[I](?i:f|n|t)|` +
	`[L](?i:ast)|[M](?i:any|ore|r\.|s\.)|[N](?i:ow)|[O](?i:nce|ne|ther|ur)|[S](?i:he|ince|ome|o|uch)|[T](?i:hat|heir|hen|here|hese|hey|he|his)|` +
	`[W](?i:hen|hile|hat|ho|hy|e)|[Y](?i:et|ou))`

func alternatives(lines ...string) string {
	return `(?i:` + strings.Join(strings.Fields(strings.Join(lines, " ")), "|") + `)`
}

// parts are words that are two or three tokens.
var parts = map[string][]int{ // where the second and the third start
	"cannot": {3}, "dunno": {2, 3}, "'twas": {2}, "'tis": {2}, "gonna": {3}, "gotta": {3}, "lemme": {3}, "gimme": {3}, "wanna": {3},
}

// rules are the kinds of tokens in the order of PTBTokenizer's; of those with equally long finds the first counts.
var rules = []rule{
	in("a'é", `(?i:cannot|dunno|'twas|gonna|gotta|lemme|gimme|wanna)|`+apostrophe+`(?i:tis)`, ``, parted),
	in("<", `<(?:[!?][A-Za-z-][^>\t\n]*|`+tag+`(?: +`+tag+`(?: *= *(?:'[^'\t\n]*'|"[^"\t\n]*"|`+tag+`))?)* */?|/`+tag+`) *>`, ``, joined),
	in("&é", `(?i:&(?:md|mdash|ndash);)|[\x{96}\x{97}–—―]`, ``, as("--")),
	in("&", `(?i:&amp;)`, ``, as("&")),
	in("aé", word, auxiliary, itself),
	in("aé", `[A-Za-z\x{AD}]*[A-MO-Za-mo-z]\x{AD}*`, negated, itself),
	in("aé", word, ``, itself),
	in("a'é", apostrophe+`(?i:n)`+apostrophe+`?|[lLdDjJ]`+apostrophe+`|(?i:dunkin|somethin|ol)`+apostrophe+`|`+apostrophe+
		`(?i:em|till?|cause)|`+
		`[A-HJ-XZn]`+anyQuote+`\p{L}{2,}|`+apostrophe+`[2-9]0(?i:s)|\p{L}+[aeiouyAEIOUY]`+anyQuote+`[aeiouA-Z]\p{L}*|(?i:cont'd)\.?|`+
		`(?i:nor'easter|c'mon|e'er|s'mores|ev'ry|li'l|nat'l)|(?i:o)`+anyQuote+`(?i:o)`, ``, itself),
	in("a", `(?i:y)`+apostrophe, `\p{L}`, itself),
	in("a", `(?i:ftp|https?)://[^ \t\n\f\r"<>|(){}]+[^ \t\n\f\r"<>|.!?(){},-]`, ``, itself),
	in("aé#%&*+~", `(?:(?i:www)\.(?:[^ \t\n\f\r"<>|.!?(){},]+\.)+[a-zA-Z]{2,4}|(?:[^ \t\n\f\r"`+"`"+
		`'<>|.!?(){},-_$]+\.)+(?i:com|net|org|edu))`+
		`(?:/[^ \t\n\f\r"<>|()]+[^ \t\n\f\r"<>|.!?(){},-])?`, ``, itself),
	in("a0<&",
		`(?:(?i:&lt;)|<)?[a-zA-Z0-9][^ \t\n\f\r"<>|(){}\x{A0}]*@(?:[^ \t\n\f\r"<>|(){}.\x{A0}]+\.)*[^ \t\n\f\r"<>|(){}\[\].,;:\x{A0}]+(?:(?i:&gt;)|>)?`, ``,
		itself),
	in("@#", `@[a-zA-Z_][a-zA-Z_0-9]*|#`+letter+`+`, ``, itself),
	in("'é&", auxiliary, `[^A-Za-z]`, itself),
	in("a", negated, `[^A-Za-z]`, itself),
	in("0é", `\p{Nd}{1,2}[-/]\p{Nd}{1,2}[-/]\p{Nd}{2,4}`, ``, itself),
	in("0é-+.,", `[-+]?`+number, ``, itself),
	in("é", `[⁺⁻₊₋]?(?:[⁰¹²³⁴-⁹]+|[₀-₉]+)`, ``, itself),
	in("0é", `(?:\p{Nd}{1,4}[- \x{A0}])?\p{Nd}{1,4}(?:\\?/|⁄)\p{Nd}{1,4}`, ``, joined),
	in("é", `[¼½¾⅓-⅞]`, ``, fraction),
	in("-a", `(?i:-(?:rrb|lrb|rcb|lcb|rsb|lsb)-|c\.d\.s|pro-|anti-|s&p-500|s&ls)|(?i:cap)`+apostrophe+`(?i:n)|(?i:c)`+apostrophe+`(?i:est)`,
		``, itself),
	in("a", `(?i:e|yahoo|jeopardy)!`, ``, itself),
	in("a0é", wordly+`+(?:-\p{L}+){0,2}(?:\\?/`+wordly+`+(?:-\p{L}+){0,2}){1,2}`, ``, itself),
	in("a$#", `[A-Z]*\$|#`, ``, itself),
	in("é", `[¢£¤¥\x{80}₠€₤]`, ``, currency),
	in("a", initials+`\.`, space+`+`+openers+`(?:`+space+`|[?!])`, initial),
	in("a", `(?i:ca|figs?|prop|nos?|art|bldg|pp|op)\.`, space+`?\p{Nd}`, itself),
	in("a", `(?:`+usual+`)\.`, `(?s:..)?`, itself),
	in("a", `(?:`+titles+`|`+initials+`)\.`, ``, itself),
	in("'é", apostrophe+`[0-9][0-9]`, space, itself),
	in("a0é", wordly+`+(?:\.`+wordly+`+)*\.`+alternatives("bat bmp c class cgi cpp dll docx? exe gif gz h html? jar java jpe?g mov mp3 "+
		"pdf php pl png ppt ps py",
		"sql tar txt wav x xml zip"), space+`|[.?!,]`, itself),
	in("aé", word+`\.`, inSentence, itself),
	in("(0+", `(?:\([0-9]{2,3}\)[ \x{A0}]?|(?:\+\+?)?(?:[0-9]{2,4}[- \x{A0}])?[0-9]{2,4}[- \x{A0}])[0-9]{3,4}[- \x{A0}]?[0-9]{3,5}|`+
		`(?:(?:\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}`, ``, joined),
	in(`"&`, `"|(?i:&quot;)`, ``, as("''")),
	in("<&", `<|(?i:&lt;)`, ``, as("<")),
	in(">&", `>|(?i:&gt;)`, ``, as(">")),
	in("<>:;=", `[<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]]`, `[^A-Za-z0-9]`, joined),
	in("{", `\{`, ``, as("-LCB-")),
	in("}", `\}`, ``, as("-RCB-")),
	in("[", `\[`, ``, as("-LSB-")),
	in("]", `\]`, ``, as("-RSB-")),
	in("()", `[()]`, ``, joined),
	in("-", `-+`, ``, dashes),
	in(".é", `\.\.\.+|…|\.[ \x{A0}](?:\.[ \x{A0}])+\.`, ``, as("...")),
	in("@_#*=\\", `@+|_+|#+|\*+|(?:\\\*){1,3}|=+`, ``, itself),
	in(",;:é", inSentence, ``, itself),
	in("?!", `[?!]+`, ``, itself),
	in(".é", `[.¡¿;։؟۔。]`, ``, itself),
	in("/", `/`, ``, itself),
	in("a0é", withHyphens, ``, itself),
	in("a0é", withHyphens+`\.`, inSentence, itself),
	in("a0é-+.,", hyphenated+`\.`, inSentence, itself),
	in("a0é-+.,", hyphenated, ``, itself),
	in("a", `[A-Z]+(?:(?:[+&]|(?i:&amp;))[A-Z]+)+`, ``, itself),
	in("'`é&", quotes, `\p{L}[^ \t\x{A0}\x{2000}-\x{200A}\x{3000}\n]|[AaIiUu]`+space+`|`, as("'")),
	in("'é&", auxiliary, ``, itself),
	in("a", negated, ``, itself),
	in("<>", `<<|>>`, ``, itself),
	in(`+%&~^|\é`, `[+%&~^|\\¦§¨©¬®¯°±²³´-º×÷†-•‰-‸※‾-⁂⁄⁺-⁾₊-₎℀-⅏←-⇿∀-⯿・！-／：-＠［-｠]`, ``, itself),
}

// in is a rule whose tokens start as first says; ahead is what must follow them.
func in(first, token, ahead string, write func(string) []string) rule {
	pattern := regexp.MustCompile(`^(` + token + `)(?:` + ahead + `)`)
	pattern.Longest()
	return rule{first, pattern, write}
}

// straight writes apostrophes and what stands for one.
var straight = strings.NewReplacer("&apos;", "'", "\u0092", "'", "’", "'", "´", "'", "\u0091", "`", "‘", "`", "‛", "`", "&amp;", "&",
	"\u00ad", "")

// itself is a token as it stands. One of soft hyphens alone is a hyphen.
func itself(token string) []string { return []string{cmp.Or(straight.Replace(token), "-")} }

func as(written string) func(string) []string {
	return func(string) []string { return []string{written} }
}

// parted writes a word in its parts.
func parted(token string) []string {
	token = straight.Replace(token)
	var tokens []string
	for _, at := range slices.Backward(parts[strings.ToLower(token)]) {
		tokens = append(tokens, token[at:])
		token = token[:at]
	}
	tokens = append(tokens, token)
	slices.Reverse(tokens)
	return tokens
}

// joined writes a token with blanks or round brackets in it.
func joined(token string) []string {
	return []string{strings.NewReplacer(" ", "\u00a0", "(", "-LRB-", ")", "-RRB-").Replace(token)}
}

// initial is one letter without its full stop, which ends the sentence; several letters keep theirs.
func initial(token string) []string {
	if len(token) == len("A.") {
		token = token[:1]
	}
	return []string{token}
}

func fraction(token string) []string {
	return []string{strings.NewReplacer("¼", "1/4", "½", "1/2", "¾", "3/4", "⅓", "1/3", "⅔", "2/3").Replace(token)}
}

// currency is what the treebank writes: "#" for pounds, "$" for what has no sign there.
func currency(token string) []string {
	return []string{strings.NewReplacer("¢", "cents", "£", "#", "\u0080", "$", "¤", "$", "₠", "$", "€", "$").Replace(token)}
}

// dashes of three or four hyphens are one of two.
func dashes(token string) []string {
	if len(token) == 3 || len(token) == 4 {
		token = "--"
	}
	return []string{token}
}
