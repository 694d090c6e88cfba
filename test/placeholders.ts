// What differs from one run of a test to the next gets a name of its own: <project-1>, <time>, <port>.

/** Each match of a pattern becomes `<name>`, or `<name-1>`, `<name-2>`, … where it matters which one it is. */
interface Volatile {
  readonly name: string;
  readonly pattern: RegExp;
  readonly numbered?: true;
  /** The placeholder of a number in JSON, which stays JSON. */
  readonly quoted?: true;
}

const nearMs = 8 * 86_400_000;

const volatile: readonly Volatile[] = [
  // Port 9 is of services that are away.
  { name: 'port', pattern: /(?<=127\.0\.0\.1:)\d{4,}/g },
  { name: 'page', pattern: /(?<=127\.0\.0\.1:<port>\/)[\w-]{40,}(?=\/)/g },
  { name: 'key', pattern: /\bsl_[\w-]+/g },
  // How long a run or a task that goes on has taken.
  {
    name: 'elapsed',
    pattern: /(?<=^ +time {5})\d+:\d\d(?: · about .* left)?|(?<=Running: \S+ \()[\d.]+ m?s/gm,
  },
  {
    name: 'project',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    numbered: true,
  },
  { name: 'upload', pattern: /(?<=api-assets\/)[0-9a-f]{24}\/[0-9a-f]{12}\b/g, numbered: true },
  // Made of the path of the pipeline's folder.
  { name: 'hash', pattern: /(?<=shotlist\/folders\/)[0-9a-f]{32}/g },
  { name: 'digest', pattern: /\b\d{8}T\d{9}Z-\d+-(?:\d+|open)-[0-9a-f]{32}\b/g, numbered: true },
  { name: 'token', pattern: /(?<=#)[0-9a-z]{10}\b/g, numbered: true },
  { name: 'pid', pattern: /(?<=\bprocess |"pid":)\d+/g },
  { name: 'host', pattern: /(?<=\bprocess <pid> on )[^\s,]+(?=, since)/g },
  // A run that goes on says how long it has worked.
  { name: 'duration', pattern: /(?<=^ +time {5})\d+:\d\d.*$/gm },
  { name: 'duration', pattern: /(?<=^ {2}Running: .*\()[\d.]+ \w+(?=\))/gm },
  // A summary says how long it took, and a plan follows earlier runs.
  { name: 'duration', pattern: /(?<=^ {2}time {8}).+$/gm },
  { name: 'duration', pattern: /(?<=^Time: about ).+?(?=, [^\n]*,\s+as\s+in\s+earlier\s+runs)/gm },
  { name: 'duration', pattern: /(?<=next attempt in ).+?(?=,)/g },
  { name: 'duration', pattern: /(?<=^Done: .* charged, ).+(?=\.$)/gm },
  { name: 'ms', pattern: /(?<="elapsedMs":|"at":)[\d.]+/g, quoted: true },
  // A project waits for a moment before it renders.
  { name: 'status', pattern: /(?<= is still )(?:queued|rendering)(?= after its timeout)/g },
  // Of the database, and of the page, which has the program that shows it.
  { name: 'size', pattern: /(?<=receipts\.db \()[\d,.]+ \w+/g },
  { name: 'size', pattern: /(?<=pictures?, )[\d,.]+ \wB(?=\. Open it)/g },
  { name: 'bytes', pattern: /(?<="file":"[^"]*(?:html|db)","bytes":)\d+/g, quoted: true },
  { name: 'DD Mon', pattern: new RegExp(`\\b${dayAndMonth(new Date())}\\b`, 'g') },
];

/** As plans write it: 26 Nov. */
function dayAndMonth(date: Date): string {
  const month = date.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' }).slice(0, 3);
  return `${date.getUTCDate()} ${month}`;
}

/** Times near now are volatile, and shown as YYYY-MM-DD hh:mm; others are part of a test. */
const times =
  /\b(20\d\d-\d\d-\d\d)(?:([T ])\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC|[+-]\d\d:\d\d)?)?/g;

/** As wide as the time. */
function lettersOf(time: string): string {
  const letters = ['YYYY', 'MM', 'DD', 'hh', 'mm', 'ss', 'SSS'];
  return time.replace(/\d+/g, () => letters.shift() ?? '');
}

export class Placeholders {
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** Every text that contains this one shows `<name>` instead. */
  add(text: string, name: string): void {
    this.#known.set(text, `<${name}>`);
  }

  /** The text with placeholders. */
  stable(text: string): string {
    let stable = text;
    for (const [known, placeholder] of this.#known) stable = stable.replaceAll(known, placeholder);
    stable = stable.replace(times, (time, day: string) =>
      Math.abs(Date.parse(day) - Date.now()) < nearMs ? lettersOf(time) : time,
    );
    for (const { name, pattern, numbered, quoted } of volatile)
      stable = stable.replace(pattern, (match) => {
        if (numbered === true) return this.#number(name, match);
        return quoted === true ? `"<${name}>"` : `<${name}>`;
      });
    return stable;
  }

  /** The text with what its placeholders stand for. */
  actual(text: string): string {
    let actual = text;
    for (const [known, placeholder] of this.#known) actual = actual.replaceAll(placeholder, known);
    return actual;
  }

  #number(name: string, text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.add(text, `${name}-${count}`);
    return `<${name}-${count}>`;
  }
}
