// Values that the service is known to accept for fields with an open list, from the types of its public client. They are
// suggestions: shotlist sends any other value unchanged.

const listed = (text: string): readonly string[] => text.split('|').map((value) => value.trim());

/** Voices of ai-voice-generator. The service has more. */
export const voices = listed(`
  A.R. Rahman | Aamir Khan | Abraham Lincoln | Adam Driver | Ajay Devgn | Akshay Kumar |
  Alain Delon | Alan Alda | Alan Cumming | Alan Rickman | Albert Einstein | Alex Trebek |
  Alexz Johnson | Amitabh Bachchan | Amy Poehler | Ana Gasteyer | Andrew Rannells | Ang Lee |
  Anne Hathaway | Ansel Elgort | Anthony Anderson | Anthony Mackie | Arden Cho | Armie Hammer |
  Asa Butterfield | B.J. Novak | Barack Obama | Barbara Eden | Bear Grylls | Ben McKenzie |
  Ben Stiller | Ben Whishaw | Betty White | Bill Nighy | Bill Pullman | Billie Joe Armstrong |
  Bingbing Li | Blake Shelton | Bob Barker | Bonnie Wright | Booboo Stewart | Brad Paisley |
  Bradley Steven Perry | Brendan Gleeson | Brian Cox | Bruno Ganz | Bruno Mars | Burt Reynolds |
  Caitriona Balfe | Caity Lotz | Cameron Boyce | Candice Accola | Carrie Fisher | Carrie Underwood |
  Casey Affleck | Caterina Scorsone | Cedric the Entertainer | Chace Crawford | Chadwick Boseman |
  Charles Dance | Charlie Chaplin | Charlie Day | Chiwetel Ejiofor | Chris Hemsworth |
  Chris Martin | Chris Pine | Christina Hendricks | Christina Ricci | Christopher Mintz-Plasse |
  Cillian Murphy | Cyndi Lauper | Dakota Fanning | Damian Lewis | Dan Aykroyd | Dan Fogler |
  Dan Stevens | Daniel Craig | Daniel Dae Kim | Danielle Panabaker | Dave Bautista |
  David Attenborough | David Letterman | David Oyelowo | David Schwimmer | David Tennant |
  Denis Leary | Derek Mears | Diane Keaton | Diane Kruger | Dick Van Dyke | Diego Luna |
  Domhnall Gleeson | Dominic Cooper | Donald Glover | Donald Sutherland | Donald Trump |
  Donnie Yen | Doutzen Kroes | Dove Cameron | Dr. Dre | Drake Bell | Drew Carey | Eartha Kitt |
  Eddie Izzard | Edward Asner | Eli Roth | Elisabeth Moss | Elle Fanning | Ellen Burstyn |
  Elon Musk | Emile Hirsch | Ernie Hudson | Ezra Miller | Felicity Jones | Fergie | Fiona Shaw |
  Florence Henderson | Forest Whitaker | Francia Raisa | Freddie Highmore | Freida Pinto |
  Geena Davis | Gemma Arterton | Geri Halliwell | Gillian Jacobs | Gina Carano | Ginnifer Goodwin |
  Glenn Close | Gloria Steinem | Gordon Ramsay | Greta Gerwig | Gugu Mbatha-Raw | Guy Pearce |
  Gwendoline Christie | Hailee Steinfeld | Hans Zimmer | Harry Connick Jr. | Harvey Keitel |
  Helena Bonham Carter | Henry Cavill | Hilary Swank | Howie Mandel | Hugh Bonneville |
  Hugh Jackman | Hugh Laurie | Idina Menzel | Imelda Staunton | Ingrid Bergman | Irrfan Khan |
  Isla Fisher | Iwan Rheon | J. K. Simmons | J.J. Abrams | Jack Black | Jack Lemmon |
  James Earl Jones | Janet Jackson | Jared Leto | Jason Bateman | Jason Segel | Jeff Goldblum |
  Jennifer Carpenter | Jennifer Coolidge | Jimmy Fallon | Joe Biden | Joe Rogan | John F. Kennedy |
  Johnny Galecki | Jon Favreau | Joseph Gordon-Levitt | Josh Brolin | Josh Gad | Josh Groban |
  Julia Louis-Dreyfus | Julia Roberts | Kanye West | Katy Perry | Kesha | Kevin Bacon |
  Kim Kardashian | Kris Jenner | Kristen Bell | Kristen Stewart | Kristen Wiig | Lorde |
  Lucille Ball | Marilyn Monroe | Mark Zuckerberg | Matt Smith | Morgan Freeman | Natalie Portman |
  Prince | Rooney Mara | Samuel L. Jackson | Sean Connery | Stephen Colbert | Steve Carell |
  Taylor Swift | Tom Hiddleston | Zoe Saldana
`);

/** Art styles of animation. */
export const animationStyles = listed(`
  3D Render | 90s Streets | Abstract Minimalist | Arcane | Art Deco | Bold Colored Illustration |
  Cinematic Landscape | Cinematic Miyazaki | Cosmic | Cubist | Custom | Cyberpunk |
  Dark Graphic Illustration | Dark Watercolor | Directed by AI | Double Exposure |
  Faded Illustration | Fantasy | Futuristic Anime | Impressionism | Ink and Watercolor Portrait |
  Inkpunk | Intricate Abstract Lines Portrait | Jackson Pollock | Landscape Painting | Low Poly |
  Miniatures | Minimal Cold Futurism | Oil Painting | Old School Comic | Overgrown |
  Painted Cityscape | Painterly Illustration | Photograph | Pixar | Pixel Art | Postapocalyptic |
  Sin City | Soft Delicate Matte Portrait | Spooky | Studio Ghibli Film Still | Synthwave |
  Traditional Watercolor | Van Gogh | Vibrant Matte Illustration | Vintage Japanese Anime | Woodcut
`);

/** Camera effects of animation. */
export const cameraEffects = listed(`
  Accelerate | Aggressive Zoom In - Audio Sync | Aggressive Zoom Out - Audio Sync | Boost Zoom In |
  Boost Zoom Out | Bounce In And Out | Bounce Out | Bounce Out - Audio Sync |
  Bounce and Spin - Audio Sync | Bounce in Place | Cog in the Machine | Devolve - Audio Sync |
  Directed by AI | Dramatic Zoom In | Dramatic Zoom Out | Drift Spin | Earthquake Bounce |
  Earthquake Bounce - Audio Sync | Evolve - Audio Sync | Heartbeat | Hesitate In | Jump | Pan Left |
  Pan Right | Pulse - Audio Sync | Pusher | Pusher - Audio Sync | Quadrant | Rise and Climb |
  Road Trip | Rodeo | Roll In | Roll In - Audio Sync | Rolling Bounces | Rubber Band |
  Simple Zoom In | Simple Zoom Out | Slice Bounce | Slideshow | Speed of Light | Spin Bounce |
  Sway Out | Sway Out - Audio Sync | Tilt Down | Tilt Up | Traverse | Tron | Vertigo |
  Vertigo - Audio Sync | Zoom In - Audio Sync | Zoom In and Spin - Audio Sync |
  Zoom Out - Audio Sync
`);

/** Art styles of video-to-video. */
export const redrawStyles = listed(`
  3D Render | Airbender | Android | Anime Warrior | Armored Knight | Assassin's Creed | Avatar |
  Black Spiderman | Boba Fett | Bold Anime | Celestial Skin | Chinese Swordsmen | Clay | Comic |
  Cyberpunk | Cypher | Dark Fantasy | Dragonball Z | Future Bot | Futuristic Fantasy | GTA |
  Ghibli Anime | Ghost | Gundam | Hologram | Illustration | Impressionism | Ink | Ink Poster |
  Jinx | Knight | Lego | Link | Marble | Mario | Master Chief | Mech | Minecraft | Mystique |
  Naruto | Neon Dream | No Art Style | Oil Painting | On Fire | Origami | Painterly Anime | Pixar |
  Pixel | Power Armor | Power Ranger | Radiant Anime | Realistic Anime | Realistic Pixar |
  Retro Anime | Retro Sci-Fi | Samurai | Samurai Bot | Sharp Anime | Soft Anime | Solid Snake |
  Spartan | Starfield | Street Fighter | Studio Ghibli | Sub-Zero | The Void | Tomb Raider |
  Underwater | Van Gogh | Viking | Watercolor | Western Anime | Wu Kong | Wuxia Anime | Zelda
`);

/** Presets of ai-image-generator. */
export const imagePresets = listed(`
  ai-anime-generator | ai-art-generator | ai-background-generator | ai-character-generator |
  ai-face-generator | ai-fashion-generator | ai-icon-generator | ai-illustration-generator |
  ai-interior-design-generator | ai-landscape-generator | ai-logo-generator | ai-manga-generator |
  ai-outfit-generator | ai-pattern-generator | ai-photo-generator | ai-sketch-generator |
  ai-tattoo-generator | album-cover-generator | animated-characters-generator |
  architecture-generator | book-cover-generator | comic-book-generator | dark-fantasy-ai |
  disney-ai-generator | dnd-ai-art-generator | emoji-generator | fantasy-map-generator | general |
  graffiti-generator | movie-poster-generator | optical-illusion-generator | pokemon-generator |
  south-park-character-generator | superhero-generator | thumbnail-maker
`);
