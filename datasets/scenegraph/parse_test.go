package scenegraph

import "testing"

// spoken are captions of our own, each for one rule, with the graph that it makes.
var spoken = []struct{ caption, graph string }{
	{"", ""},
	{"a dog", "( dog )"},
	{"two small brown dogs", "( dog , is , 2 ) , ( dog , is , small ) , ( dog , is , brown )"},
	{"a family near the lake", "( family , near , lake )"},
	{"men on a bench", "( man , on , bench )"},
	{"a man sits on a green park bench", "( man , sit on , park bench ) , ( park bench , is , green )"},
	{"A woman holding a red umbrella.", "( woman , hold , umbrella ) , ( umbrella , is , red )"},
	{"a metal pole", "( pole , is , metal )"},
	{"a light blue car", "( car , is , light blue )"},
	{"a black and white cat", "( cat , is , black ) , ( cat , is , white )"},
	{"a red colored ball", "( ball , is , red )"},
	{"the sky is blue and cloudy", "( sky , is , blue ) , ( sky , is , cloudy )"},
	{"a boy in a blue cap", "( boy , wear , cap ) , ( cap , is , blue )"},
	{"a girl in a boat", "( girl , in , boat )"},
	{"the lid of a box", "( box , have , lid )"},
	{"a cat's ears", "( cat , have , ear )"},
	{"a bunch of keys on a hook", "( key , on , hook )"},
	{"a cup of tea on a tray", "( tea , in , cup ) , ( cup , on , tray )"},
	{"a kite on the side of a barn", "( kite , on side of , barn )"},
	{"a fox in front of two trees", "( fox , in front of , tree ) , ( tree , is , 2 )"},
	{"a lake surrounded by hills", "( hill , surround , lake )"},
	{"a boy swarmed by pigeons", "( pigeon , swarm , boy )"},
	{"a goat climbing up a set of stairs", "( goat , climb up , stair )"},
	{"a roof covered in snow", "( snow , cover , roof )"},
	{"snow covered roof", "( snow , cover , roof )"},
	{"a jar filled with sweets", "( jar , fill with , sweet )"},
	{"goats and sheep grazing in a meadow", "( goat , graze in , meadow ) , ( sheep , graze in , meadow )"},
	{"a man in a hat holding a spade", "( man , wear , hat ) , ( man , hold , spade )"},
	{"a bridge that crosses a river", "( bridge , cross , river )"},
	{"the rug the cat is lying on", "( cat , lay on , rug )"},
	{"a pond with ducks in it", "( duck , in , pond )"},
	{"there are boats in the harbour", "( boat , in , harbour )"},
	{"on the roof are pigeons", "( pigeon , on , roof )"},
	{"a child sleeping", "( child , is , sleeping )"},
	{"a multi-colored scarf", "( scarf , is , multi-colored )"},
	{"a red mug beside a green one", "( mug , beside , mug ) , ( mug , is , red ) , ( mug , is , green )"},
	{"two mugs next to each other", "( mug , next to , mug ) , ( mug , is , 2 )"},
	{"a pitcher throwing a ball to a boy", "( pitcher , throw , ball ) , ( pitcher , throw to , boy )"},
}

func TestParse(t *testing.T) {
	for _, c := range spoken {
		if got := Parse(c.caption).String(); got != c.graph {
			t.Errorf("Parse(%q):\ngot  %s\nwant %s", c.caption, got, c.graph)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		for _, c := range spoken {
			Parse(c.caption)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(spoken)), "µs/caption")
}
