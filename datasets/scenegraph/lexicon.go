package scenegraph

// The lexicon of Parse. It was written by hand; how the words of FACTUAL's training and development captions (never its test captions)
// are used decided which ones are here and, where English leaves a choice, in which list. A word in no list is a noun, unless its ending
// says otherwise (see classify).
const (
	// verbs are base forms.
	verbs = `
abandon accompany add adjust adorn advertise aim anchor approach arrange arrive ascend assist attach attack attempt attend back bake
balance bark bat bathe batter bear beg belong bend bite blend blind block bloom blow blur board boil border bounce bow box brace braid
break breathe bring browse brush build bump burn bury button buy call capture caress carry carve cast catch celebrate chain change chase
chat check cheer chew chip chop circle clasp clean clear climb cling close clutch coat coast collect comb come compete concentrate connect
contain converse cook cool count cover crack crash crawl cross crouch crowd crumble cuddle curl curve cut cycle dance dangle deck decorate
defend deliver depict descend design dig dine dip direct discuss display dive divide dock do drag drain drape draw dress dribble drift
drill drink drip drive drizzle drop dry eat emerge emit enclose engage enjoy enter erect escort etch examine exercise exit expel explore
expose extend face fade fall fasten feature feed fence fetch fight file fill find finish fish fit fix flank flap flash flip float flow fly
focus fold follow form frame fry fuel gallop garnish gather gaze get give glare glide glow glue go grab grasp graze greet grill grin grind
grip groom grow guard guide hail hand handle hang hatch have head hear help herd hide hike hit hitch hoist hold hook hop hover hug hunch
hunt indicate inflate inspect install instruct interact iron jog join juggle jump jut keep kick kiss kite knead kneel knit knock label
land lap laugh launch lay lead lean leap learn leave lick lie lift light line list listen litter load locate lock look loom lounge lower
lunge make maneuver march mark match meet melt milk mingle mirror miss mix mold mount move mow munch nap nestle nibble nuzzle observe
occupy offer open operate order outline overhang overlap overlook pack paddle paint parasail park part pass pat patch pave paw pay peck
peek peel peer perch perform pet photograph pick pile pin pitch place plant play plow plug point poke pose position post pot pounce pour
practice prepare present press print promote prop propel protect protrude provide pull punch purchase push put race raise reach read rear
receive recline reflect relax release remain remove repair rest return ride ring ripple rise roast roam roll rope row rub run rush sail
salute sample say scatter scoop scratch screw seal search secure see seem sell separate serve set sew shade shake shape share shave shear
shelter shield shine shoot shop shoulder shout show sign sink sip sit skate skateboard ski skid skim slap sleep slice slide slope smell
smile smoke sneak sniff snooze snorkel snow snowboard snuggle soak soar span speak speed spill spin splash split spot spray spread
sprinkle sprout squat squeeze stack stain stand staple stare start steer step stick stitch stop store strap stream stretch strike string
stroll struggle stuff submerge support surf surround suspend swallow sway sweep swim swing swirl tag take talk tape taste taxi teach tear
tell text tether think throw tie tilt tip toast top toss touch tour tow trail train transport trap travel tread trick trim trot try tuck
turn twist type unload use view visit wade wag wait walk wander wash watch water wave wear weave weigh wheel whip windsurf wipe work wrap
wrestle write yawn zip`

	// irregularVerbs are a base form and its past forms and participles, and gerunds that no rule makes.
	irregularVerbs = `
bear bore borne, bend bent, bite bit bitten, blow blew blown, break broke broken, bring brought, build built, buy bought, catch caught,
cast cast, come came, cut cut cutting, dig dug digging, do did done, draw drew drawn, drink drank drunk, drive drove driven, eat ate
eaten, fall fell fallen, feed fed, fight fought, find found, fly flew flown, get got gotten getting, give gave given, go went gone, grind,
grow grew grown, hang hung, have had having, hear heard, hide hid hidden, hit hit hitting, hold held, keep kept, kneel knelt, knit knit,
lay laid, lead led, lean leant, leave left, lie lay lain lying, light lit, make made, meet met, mow mown, put put putting, read read, ride
rode ridden, rise rose risen, run ran running, say said, see saw seen, sell sold, set set setting, sew sewn, shake shook shaken, shoot
shot, show shown, sink sank sunk, sit sat seated, sleep slept, slide slid, speak spoke spoken, speed sped, spin spun, split split, spread
spread, stand stood, stick stuck, strike struck, string strung, sweep swept, swim swam swimming, swing swung, take took taken, teach
taught, tear tore torn, tell told, throw threw thrown, tie tying, tread trod, wear wore worn, weave wove woven, write wrote written, ski
skiing skied, put putting, die dying`

	// nominal are verbs whose forms in -s and without an ending are nouns as a rule.
	nominal = `
back bat bear bite block board bow box break brush building button call catch chain circle coat color comb cook cover crack crash crowd
cup curve cut dance deck dip display dive dock drain dress drill drink drip drive drop face feature fence fight file finish fish fit flap
flash float flow fly frame fry garnish glow grill grip guard guide hand handle hatch head herd hook iron jump kite label lap light line
list lock look mark match mirror mold mount mow nap order outline pack paddle paint park part pass patch paw pet pile pin pitch place
plant plow plug point post pot present press print punch race rail ring ripple roast roll rope row run sail sample scoop screw seal seat
set shade shape share shelter shield shop shoulder show sign sink skate skateboard ski slice slide slope smile smoke snow snowboard span
spot spray spread stack stain stand staple step stick stop store strap stream stretch strike string support surf swing tag talk tape taste
taxi tear text tie tilt tip toast top tour tow trail train trap trick trim truck turn type view visit walk wash watch water wave wheel
work wrap zip ride rest play cross travel touch start land spin sip sleep bend blow bark bounce bump burn change check chip clean clear
close cool count cycle design drape draw dry exercise fall hit hunt hug kick kiss lead lean leap load lounge march meet mix move open peel
pick pose pour practice pull push reach read rise rub rush search serve shake shave shine shoot skim slap snack sort split squat squeeze
stare stroll struggle surround throw toss tread try tuck twist use wait whip wipe yawn`

	// nounsInIng look like gerunds and are nouns.
	nounsInIng = `
building ceiling railing clothing evening morning wing ring king string thing something nothing anything everything awning siding
lettering lightning spring wedding sibling icing frosting topping stuffing flooring carpeting bedding seating lighting wiring piping
plumbing earring roofing tubing netting fencing paneling molding moulding duckling gosling pudding herring sling shilling ping dressing
covering bearing shavings scaffolding handwriting painting marking opening stocking landing paving bunting coating tiling gardening
surfing housing grating bling`

	// ambiguousIng are gerunds behind a noun and nouns elsewhere.
	ambiguousIng = `
painting covering opening landing dressing frosting lighting topping writing drawing crossing parking coating housing surfing fencing
molding bearing wiring paneling netting stuffing seating marking carving clearing setting`

	// nounsInLy look like adverbs and are nouns.
	nounsInLy = `family butterfly belly jelly assembly dragonfly firefly dolly supply monopoly`

	// compoundIng are gerunds that make a compound with the noun that follows.
	compoundIng = `
cutting parking living dining chopping frying swimming shopping baking washing serving bathing bowling rocking sleeping retaining landing
pitching mixing skating riding warning writing sewing waiting racing cooking playing reading changing operating ironing wading drinking
hunting boarding boxing rolling walking fishing training loading lifting carving`

	// compoundHeads are the nouns that compoundIng make compounds with.
	compoundHeads = `
board boards lot lots room rooms table tables pan pans pool pools cart carts bag bags sheet sheets meter meters mat mats machine machines
chair chairs gear suit suits rink wall mound bowl bowls park ramp field area trunks garage spot space spaces utensils utensil pin tray
trays plate desk glasses glass fountain center ball sign signs basket alley dish dishes spoon spoons fork knife oil net glove rod boat
poles pole stick path platform dock`

	// adjectives are what describes and is no noun in captions.
	adjectives = `
white black blue green red brown yellow gray grey orange silver pink dark purple tan beige gold golden maroon burgundy turquoise teal
lavender violet khaki navy crimson magenta cyan cream bright light colored coloured multicolored colorful multicolor reddish brownish
greenish yellowish blueish bluish pinkish grayish whitish pale neon blonde blond brunette clear transparent translucent large small young
long tall little big short old thick thin huge tiny giant wide narrow high low deep shallow larger smaller bigger taller largest smallest
tallest biggest longer shorter older younger newer oldest youngest longest shortest massive enormous gigantic miniature mini petite slim
skinny slender fat chubby heavy lean stocky plump oversized full empty open closed shut round square rectangular circular oval triangular
curved flat straight steep pointy pointed sharp blunt wavy curly frizzy fuzzy furry fluffy hairy shaggy bushy scruffy puffy wispy smooth
rough soft hard hardy bumpy jagged uneven even wet dry damp moist muddy dirty clean dusty sandy rocky grassy snowy icy foggy cloudy sunny
hazy misty rainy stormy windy overcast leafy leafless barren bare dead alive live fresh ripe raw rotten stale lush dense sparse wild tame
rural urban suburban residential striped plaid checkered checked floral patterned spotted dotted plain solid printed stained tinted
frosted paned paneled tiled carpeted paved unpaved wooded wooden metallic rusty rusted shiny glossy dull matte reflective rustic antique
vintage modern old-fashioned ancient new happy sad smiling angry serious curious cute pretty beautiful handsome lovely attractive ugly
nice fancy elegant elderly adult male female pregnant bald balding shirtless barefoot naked nude bearded asian african american caucasian
indian chinese japanese italian french german british canadian mexican european australian busy crowded quiet calm peaceful choppy foamy
murky frothy still lone lonely single alone solitary double triple various different same similar other many several few multiple numerous
assorted public private commercial industrial military professional electric electrical electronic digital analog decorative ornate
ornamental fake artificial real natural outdoor indoor overhead elevated upright vertical horizontal diagonal parallel interior exterior
outer inner upper lower middle rear hind main distant nearby close far visible faint blurry broken cracked chipped worn torn bent twisted
crooked folded rolled wrinkled crumpled tangled messy neat cluttered organized abandoned hot cold warm cool frozen spicy sweet delicious
tasty crispy crunchy creamy gooey greasy juicy cheesy baked cooked uncooked fried grilled roasted toasted sliced chopped diced shredded
mashed steamed boiled melted burnt glazed sugary powdered whipped stuffed filled unfinished finished sleeveless long-sleeved hooded
collared buttoned zipped unzipped loose tight baggy formal casual dressy athletic sporty fit muscular strong weak healthy sick tired
sleepy hungry thirsty excited scared afraid aggressive playful funny silly goofy strange weird odd unusual interesting amazing awesome
great good bad best better worst cheap expensive important famous historic historical traditional typical religious holy royal rich poor
safe dangerous careful ready able available possible pedestrian vast scenic majestic gorgeous stunning serene hilly mountainous tropical
arctic polar evergreen deciduous coniferous scrubby overgrown wrought stainless motorized automatic manual mechanical portable mobile
inflatable disposable reusable adjustable retractable foldable speckled freckled spiky spiked prickly thorny slanted sloped sloping tilted
angled slanting arched domed pitched peaked rounded angular hollow mounted framed potted parked raised lowered extended outstretched
crossed stacked scattered attached enclosed fenced barbed knitted knit woven quilted embroidered painted decorated illuminated lighted lit
unlit shaded shady shadowy sunlit moonlit lined covered exposed hidden partial complete whole half entire extra additional last next first
second third fourth fifth final top-down aerial daily left-handed right-handed one-way two-way two-story multi-story upside sideways
backwards forward backward furnished unfurnished carved engraved sculpted molded distressed weathered faded peeling flowering blooming
budding fallen felled adorable friendly gentle proud shy nervous worried surprised confused bored focused intent determined brave purebred
domestic stray feral mature juvenile newborn teenage middle-aged aged zigzag spiral conical cylindrical spherical hexagonal octagonal
oblong crescent silvery chrome brass copper bronze tabby calico dappled brindle lengthy brief quick slow fast rapid speedy noisy loud
silent sheer lacy slight lighter darker brighter silky satin velvety unclear obscured olympic sunken upturned overturned stranded docked
moored anchored underground underwater festive separate individual personal common rare adjacent opposing opposite vacant occupied soapy
bubbly fizzy grizzly panda sliding folding floating flying`

	// attributive are nouns that describe the noun behind them rather than make a compound with it.
	attributives = `
metal brick glass stone plastic dirt concrete cement leather pine rock steel iron gravel clay ceramic porcelain marble granite wicker
bamboo aluminum tin foil denim cotton wool silk lace velvet fleece rubber vinyl styrofoam asphalt cobblestone hardwood oak maple birch
straw paper wire chain chainlink baby toy adult mother father stripe computer laptop wii wine tomato ocean team fighter utility suit apple
football cowboy butterfly christmas baked cargo steam rose model storm winter sand shell spandex mesh linen burlap canvas flannel fur
corduroy nylon polyester nike adidas sony dell bmw samsung nintendo wilson pepsi coke starbucks khaki circle rectangle oval stick lego
mid-air school-age microwave pickup wood shower designer neon navy jet gold silver holiday crystal diamond tile`

	// quantities are of things that they say nothing of: "a bunch of birds" are birds.
	quantities = `
bunch bunches lot lots pair pairs couple number row rows set sets variety herd herds flock flocks stack stacks slice slices part bit bits
portion body view scene shot alot front cluster clusters bouquet dozen dozens hundreds thousands plenty series assortment array pack
school swarm team tons ton handful mixture collection line lines type kind kinds types sort sorts some most all each both one two three
many several half rest rack loaf strip strips thicket bank trio sea stand grove shades stream layer layers chunk chunks load loads amount
expanse blanket tuft tufts sheet sheets`

	// describing are quantities that are an attribute of the things.
	describing = `
group groups piece pieces patch patches pile piles mound mounds statue statues crowd crowds clump clumps`

	// containers have the things in them.
	containers = `
glass glasses bottle bottles box boxes cup cups mug mugs bag bags basket baskets can cans jar jars bowl bowls crate crates bucket buckets
carton container containers forest pot pots barrel tub vase pitcher case bin`

	// supports have the things on them.
	supports = `
plate plates tray trays platter table shelf dish plateful`

	// wholes have the things, read from left to right.
	wholes = `
field fields area areas picture pictures photo photos image painting game tower display menu map`

	// animates are people and animals, who do things rather than the places where they are.
	animates = `
man men woman women person people boy boys girl girls child children kid kids lady ladies guy guys player players baby babies toddler
toddlers adult adults male female surfer surfers skier skiers snowboarder snowboarders skateboarder skateboarders skater skaters rider
riders cyclist cyclists biker bikers motorcyclist batter batters catcher catchers pitcher umpire umpires referee goalie driver drivers
pedestrian pedestrians passenger passengers spectator spectators crowd group team family couple friends friend mother father mom dad son
daughter brother sister bride groom officer officers policeman policemen cop cops soldier soldiers worker workers chef chefs cook waiter
waitress farmer farmers fisherman fishermen student students teacher teenager teenagers skiier boarder boarders someone somebody audience
fan fans dancer dancers performer runner runners jockey hiker hikers tourist tourists shopper shoppers dog dogs puppy puppies cat cats
kitten kittens horse horses pony ponies cow cows calf bull bulls sheep lamb lambs goat goats pig pigs elephant elephants giraffe giraffes
zebra zebras bear bears cub cubs lion lions tiger tigers monkey monkeys bird birds duck ducks goose geese swan swans seagull seagulls
pigeon pigeons eagle owl parrot parrots chicken chickens rooster hen animal animals deer rabbit bunny squirrel fish turtle frog camel
camels donkey ostrich businessman businesswoman gentleman gentlemen rancher clown individual individuals human humans guest guests
customer customers`

	// parts belong to an animal or a person named before them.
	parts = `
head heads leg legs ear ears trunk tail tails wing wings mane neck necks face hand hands arm arms foot feet nose eye eyes mouth back body
beak paw paws horn horns tusk tusks fur hair skin hoof hooves teeth tongue chest shoulder shoulders knee knees finger fingers wrist ankle
belly stomach feathers snout whiskers chin lap thumb claws`

	// machines have the fittings named behind them.
	machines = `
oven tv plane airplane car jet computer laptop chair motorcycle bicycle stove boat vehicle`

	// fittings are parts of machines.
	fittings = `
door doors screen wing wings tail engine engines window windows wheel wheels seat arm leg legs back handle tire tires mirror headlight
headlights light lights roof hood trunk fender nose keyboard key keys`

	// clothing is worn by who is in it.
	clothing = `
shirt shirts uniform uniforms suit suits pants shorts hat hats jacket jackets t-shirt tshirt tee jeans coat coats cap caps clothes
clothing dress dresses tie ties outfit helmet helmets costume costumes sweater sweaters sweatshirt hoodie vest vests blouse skirt skirts
sneakers shoes boots gloves glove pajamas apron sunglasses glasses goggles attire jersey jerseys wetsuit wetsuits swimsuit bikini trunks
robe gown scarf kimono overalls tuxedo suite top tanktop headband bandana socks sandals gear wristband watch`

	// colours take another word before them: "light blue".
	colours = `
white black blue green red brown yellow gray grey orange silver pink purple tan gold beige`

	// shades are the words before a colour.
	shades = `
light dark bright pale deep neon lime olive sky baby hot navy royal forest dull`

	// degrees are adverbs that say nothing of a thing.
	degrees = `
very really so too quite extremely rather just still also again already currently carefully slowly quickly happily together apart away
alone always only even now here about almost slightly directly while not n't ago sideways soon perhaps maybe when as if than where because
once how nearby`
)
