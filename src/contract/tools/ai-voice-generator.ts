// ai-voice-generator: speaks a text in a voice of the service (facts.md, Body fields of every creation endpoint).
import { group, listed, openList, spoken } from '../fields.ts';
import { speechExamples } from '../price-rule.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiVoiceGenerator = listedTool({
  name: 'ai-voice-generator',
  title: 'Speak a text in a stock voice',
  record: 'audio',
  type: 'VOICE_GENERATOR',
  medianSeconds: 21,
  description: 'Speaks a text in one of the service’s voices. At most 0.1 credits per character.',
  required: ['style'],
  fields: {
    style: group('The text and the voice.', ['prompt', 'voice_name'], {
      prompt: spoken,
      voice_name: openList('The voice.', ...voices()),
    }),
  },
  // Another source says 0.05. If sources differ, the higher price counts.
  price: { kind: 'characters', field: 'style.prompt', credits: 0.1 },
  priceExamples: speechExamples,
  examples: [{ style: { prompt: 'Hello, how are you?', voice_name: 'Morgan Freeman' } }],
  starter: eachPrompt(
    `style: { voice_name: Morgan Freeman, prompt: "${itemPrompt}" }`,
    ['welcome', 'Welcome! Please take a seat.'],
    ['goodbye', 'Thank you for your visit. See you soon.'],
  ),
});

/** Voices that the types of the public client list. The service has more. */
function voices(): readonly string[] {
  return listed(`
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
}
