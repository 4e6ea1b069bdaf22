"""The words of which the invented people and their belongings are made."""

from __future__ import annotations

FIRST_NAMES = {
    "female": (
        "Anouk", "Brisa", "Clodagh", "Dagny", "Eirlys", "Fenna", "Griet", "Hadiza", "Ilse", "Jorunn",
        "Kamala", "Liesbet", "Mirela", "Nilufar", "Oriana", "Petronel", "Quilla", "Rosalba", "Saoirse",
        "Tamsin",
    ),
    "male": (
        "Aurelio", "Bastiaan", "Casimir", "Dragan", "Evander", "Florin", "Gideon", "Hamish", "Ivo", "Joaquim",
        "Kasper", "Leopold", "Mateusz", "Nikolai", "Osric", "Piet", "Quirin", "Radovan", "Stellan",
        "Thaddeus",
    ),
}  # fmt: skip
LAST_NAMES = (
    "Ashdown", "Bergstrand", "Calloway", "Drummond", "Esterhazy", "Fairweather", "Gallagher", "Hollingbrook",
    "Ibarra", "Jankovic", "Kettering", "Lindqvist", "Marchetti", "Novotny", "Oyelaran", "Pemberley",
    "Quillfeather",
    "Rosenbaum", "Sandoval", "Thistlewood", "Umarov", "Vandermeer", "Wolanski", "Xanthos", "Yarborough",
    "Zielinski",
    "Abernathy", "Brightwater", "Cottonwood", "Duskfield", "Elmsworth", "Foxcroft", "Greenhalgh", "Hartwell",
    "Inglewood", "Juniper", "Kingsmere", "Larkspur", "Millbrook", "Northgate",
)  # fmt: skip
STREETS = (
    "Alder Row",
    "Birch Lane",
    "Cedar Street",
    "Dogwood Road",
    "Elm Terrace",
    "Foxglove Way",
    "Granary Walk",
)
CITIES = (
    ("Fernhill", "Oregon", 97010),
    ("Stonebrook", "Vermont", 51200),
    ("Harrow Bay", "Maine", 40330),
    ("Larkfield", "Iowa", 50220),
)

GENRES = ("indie", "jazz", "rock", "classical", "folk", "electronic")
ARTIST_FIRST = ("Amber", "Cobalt", "Hollow", "Paper", "Velvet", "Copper", "Silver", "Northern", "Quiet",
                "Crooked",
                "Painted", "Distant")  # fmt: skip
ARTIST_LAST = ("Lanterns", "Rivers", "Orchard", "Comets", "Harbor", "Meadow", "Signals", "Foxes", "Kites",
               "Bridges",
               "Tides", "Cellars")  # fmt: skip
ALBUM_WORDS = ("Winter", "Static", "Glass", "Marble", "Salt", "Midnight", "Golden", "Broken", "Early", "Lost",
               "Crimson", "Open")  # fmt: skip
ALBUM_ENDS = ("Nights", "Letters")
SONG_FIRST = ("Blue", "Falling", "Endless", "Paper", "Silent", "Burning", "Frozen", "Wandering", "Hidden",
              "Restless",
              "Gentle", "Faded")  # fmt: skip
SONG_LAST = ("Avenue", "Harvest", "Engine", "Garden", "Mirror", "Station", "Feather", "Compass")

SELLERS = ("Fernhill Goods", "Harrow Outfitters", "Stonebrook Supply", "Larkfield Crafts")
PRODUCT_KINDS = {
    "mug": (9, 18), "lamp": (24, 70), "notebook": (5, 14), "backpack": (35, 90),
    "kettle": (22, 60), "blanket": (18, 55), "headphones": (30, 120), "board game": (15, 48),
}  # fmt: skip
PRODUCT_MAKES = ("Alpine", "Bramble", "Cascade", "Drift", "Ember")
COLORS = ("red", "blue", "green", "black", "white")

PLAYLISTS = (
    "Morning Run", "Slow Evenings", "Road Trip", "Deep Focus", "Sunday Kitchen", "Rainy Days", "Garden Party",
    "Late Shift",
)  # fmt: skip

PLACES = (
    "Lisbon",
    "Bergen",
    "Kyoto",
    "Porto",
    "Tallinn",
    "Quebec",
    "Oaxaca",
    "Galway",
    "Ljubljana",
    "Hobart",
)
DISHES = (
    "lentil soup",
    "mushroom risotto",
    "lemon tart",
    "fish stew",
    "pumpkin curry",
    "walnut bread",
    "bean chili",
)
BOOKS = (
    "The Salt Cartographer", "Nine Quiet Winters", "A Ledger of Birds", "The Orchard Keeper",
    "Letters to Harrow Bay",
    "The Clockmakers Daughter", "Rivers Without Maps", "The Last Lamplighter", "Small Hours",
    "The Tin Observatory",
)  # fmt: skip
MAIL_TOPICS = (
    (
        "Trip to {place}",
        "I looked at trains to {place} for the {day}. The ticket costs {amount} dollars. Tell me soon.",
    ),
    ("Rent for {month}", "The rent for {month} is {amount} dollars and it is due on the {day}."),
    ("Dinner at my place", "Come over on the {day}. I will cook {dish} and you can bring dessert."),
    ("Book club", "For the next meeting on the {day} we read {book}. Please bring two questions."),
    (
        "Photos from {place}",
        "I sorted the photos from {place}. There are {number} of them and some are really good.",
    ),
    ("Recipe for {dish}", "Here is the recipe for {dish}. It needs {number} minutes and serves four people."),
    ("Concert tickets", "I got tickets for the concert on the {day}. Your part is {amount} dollars."),
    ("Car repair", "The garage wants {amount} dollars for the car and it will be ready on the {day}."),
    ("Moving boxes", "I have {number} boxes left from the move. You can pick them up on the {day}."),
    ("Garden tools", "Could you return the garden tools before the {day}. I want to plant beans."),
    ("Birthday plans", "We celebrate on the {day} at noon. Around {number} people will come."),
    ("Language course", "The course starts on the {day} and costs {amount} dollars for ten lessons."),
)
TEXT_MESSAGES = (
    "Running {number} minutes late, please order without me.",
    "Can you call me on the {day} about the trip to {place}?",
    "The {dish} turned out great, thanks for the recipe.",
    "I finished {book} last night and loved it.",
    "Do you still have my umbrella?",
    "The landlord comes by on the {day}.",
    "Parking near the station was {amount} dollars, can you believe it?",
    "Meet me at the library at noon on the {day}.",
    "Your parcel is with me, come by any time.",
    "The match starts at eight, shall I save you a seat?",
)
ALARMS = (
    ("06:30", "Wake up", ("monday", "tuesday", "wednesday", "thursday", "friday")),
    ("08:45", "Stand-up call", ("monday", "wednesday", "friday")),
    ("18:15", "Gym", ("tuesday", "thursday")),
    ("21:00", "Medicine", ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")),
    ("09:30", "Market", ("saturday",)),
    ("22:15", "Water the plants", ("sunday",)),
)
PAYMENT_REASONS = (
    "pizza night", "taxi ride", "movie tickets", "groceries", "coffee beans", "birthday gift", "museum entry",
    "train fare", "board games", "laundry", "concert", "parking", "internet bill", "picnic", "bike repair",
    "book order", "garden soil", "haircut", "lunch", "ferry tickets",
)  # fmt: skip
GROUP_NAMES = ("Lake House", "Office Lunch", "Ski Cabin", "Film Society", "Allotment", "Sailing Week")
EXPENSES = (
    "Firewood", "Supermarket run", "Boat rental", "Cleaning", "Gas for the van", "Dinner out", "Tickets",
    "Tools",
    "Paint", "Snacks", "Hostel", "Parking fees",
)  # fmt: skip

GROCERIES = (
    "oats",
    "lentils",
    "spinach",
    "yogurt",
    "lemons",
    "rice",
    "olive oil",
    "eggs",
    "apples",
    "onions",
)
PACKING = (
    "passport",
    "rain jacket",
    "charger",
    "toothbrush",
    "hiking boots",
    "sunscreen",
    "notebook",
    "earplugs",
)
GIFTS = ("scarf", "tea set", "plant", "puzzle", "cookbook", "candle", "mug", "gloves")
EXERCISES = ("running", "swimming", "yoga", "cycling", "rowing", "climbing", "stretching")
BUDGET = ("rent", "food", "transport", "insurance", "leisure", "savings")

PROJECTS = {
    "House": ("Fix the tap", "Buy light bulbs", "Call the plumber", "Paint the fence", "Clean the gutters",
              "Replace the filter"),
    "Work": ("Write the report", "Book the meeting room", "Review the budget", "Answer the survey",
             "Prepare the slides", "Update the contract"),
    "Travel": ("Renew the passport", "Reserve the hostel", "Compare train prices", "Print the tickets",
               "Buy a travel adapter", "Ask about vaccinations"),
    "Garden": ("Plant the beans", "Order compost", "Prune the roses", "Mend the hose", "Sow the lettuce",
               "Build a raised bed"),
    "Studies": ("Read chapter four", "Hand in the essay", "Find a tutor", "Return the library books",
                "Practise vocabulary", "Register for the exam"),
}  # fmt: skip
LABELS = ("urgent", "waiting", "errand")
BILLS = {"electricity": "Brightwire Power", "water": "Clearwell Water", "internet": "Fernlink Net"}
DOCUMENTS = {
    "lease.txt": "tenant: {name}\nrent: {amount}\nnotice period: three months",
    "insurance.txt": "holder: {name}\npolicy: {number}\nmonthly fee: {amount}",
    "warranty.txt": "product: washing machine\nbought for: {amount}\nvalid until: 2027-0{month}-15",
    "resume.txt": "name: {name}\nlanguages: four\nlast position: archivist",
    "meeting_notes.txt": "topic: {place} office\nopen points: {number}\nnext date: 2025-06-2{month}",
}
MONTHS = ("January", "February", "March", "April", "May")
