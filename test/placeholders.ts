// What differs from one run of a test to the next gets a name of its own: <project-1>, <time>, <port>.

/** Each match of a pattern becomes `<name>`, or `<name-1>`, `<name-2>`, … where it matters which one it is. */
interface Volatile {
  readonly name: string;
  readonly pattern: RegExp;
  readonly numbered?: true;
}

const nearMs = 8 * 86_400_000;

const volatile: readonly Volatile[] = [
  { name: 'port', pattern: /(?<=127\.0\.0\.1:)\d+/g },
  {
    name: 'project',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    numbered: true,
  },
  { name: 'token', pattern: /(?<=#)[0-9a-z]{10}\b/g, numbered: true },
  { name: 'pid', pattern: /(?<=\bprocess |"pid":)\d+/g },
  { name: 'duration', pattern: /(?<=^ {2}time {8})[\d.]+ \w+/gm },
  { name: 'size', pattern: /(?<=receipts\.db \()[\d,.]+ \w+/g },
];

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
    for (const { name, pattern, numbered } of volatile)
      stable = stable.replace(pattern, (match) =>
        numbered === true ? this.#number(name, match) : `<${name}>`,
      );
    return stable;
  }

  /** The text with what its placeholders stand for. */
  actual(text: string): string {
    let actual = text;
    for (const [known, placeholder] of this.#known) actual = actual.replaceAll(placeholder, known);
    return actual;
  }

  #number(name: string, text: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.add(text, `${name}-${count}`);
    return `<${name}-${count}>`;
  }
}
