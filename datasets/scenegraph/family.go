package scenegraph

import "slices"

// related reports whether two names are in one of the families.
func related(families []map[string]bool, a, b string) bool {
	return slices.ContainsFunc(families, func(f map[string]bool) bool { return f[a] && f[b] })
}

var (
	// isGeneral are nouns for anything.
	isGeneral = set("object thing item something stuff one part piece side kind type lot number set other rest view scene " +
		"picture photo image background")

	// families hold nouns that may be said of the same thing.
	families = []map[string]bool{
		set("person people man woman boy girl child kid baby toddler lady guy adult player rider surfer skier skateboarder snowboarder " +
			"student friend couple crowd group family team batter catcher pitcher umpire worker officer policeman soldier driver cyclist " +
			"biker skater athlete teenager mother father mom dad bride groom someone human individual pedestrian passenger spectator fan " +
			"dancer hiker male female chef cook"),
		set("animal dog puppy pet mammal"),
		set("animal cat kitten pet mammal"),
		set("animal horse pony foal"),
		set("animal cow bull calf cattle herd"),
		set("animal bird duck goose seagull pigeon parrot chicken swan eagle"),
		set("animal sheep lamb goat herd"),
		set("animal elephant giraffe zebra bear lion"),
		set("car vehicle truck van taxi suv jeep automobile cab bus"),
		set("bike bicycle motorcycle motorbike scooter vehicle moped"),
		set("plane airplane jet aircraft airliner"),
		set("boat ship canoe kayak sailboat vessel raft"),
		set("train locomotive engine tram trolley"),
		set("road street path sidewalk pavement highway lane way pathway trail"),
		set("shirt jacket coat sweater top clothes clothing outfit uniform suit dress jersey t-shirt"),
		set("hat cap helmet"),
		set("couch sofa chair seat bench furniture stool"),
		set("table desk counter furniture"),
		set("field grass lawn grassland park yard meadow pasture ground"),
		set("water ocean sea lake river wave pond beach shore"),
		set("sand beach ground dirt soil"),
		set("hill mountain slope cliff rock snow"),
		set("building house store tower shop church structure skyscraper"),
		set("food meal dish plate dinner lunch breakfast pizza sandwich cake dessert salad fruit vegetable"),
		set("tv television monitor screen computer laptop"),
		set("cup mug glass bowl"),
		set("tree plant bush shrub leaf branch forest wood"),
		set("shoe boot sneaker sandal"),
		set("racket racquet"),
		set("phone cellphone telephone"),
		set("ball baseball football frisbee"),
		set("wall fence building"),
		set("snowboard board surfboard skateboard ski"),
	}

	// together are relations that may hold at once, or say the same.
	together = []map[string]bool{
		set("near by beside at with around along alongside against"),
		{"next to": true, "near": true, "by": true, "beside": true, "close to": true, "with": true},
		{"on": true, "on top of": true, "over": true, "above": true, "against": true},
		set("in inside within at on into"), set("under below"), set("with have"),
		{"in front of": true, "near": true, "by": true, "next to": true, "at": true},
		{"behind": true, "near": true, "by": true, "in back of": true},
	}

	// isMutual are relations that hold in both directions.
	isMutual = map[string]bool{"next to": true, "near": true, "beside": true, "by": true, "close to": true, "with": true,
		"around": true, "alongside": true}
)
