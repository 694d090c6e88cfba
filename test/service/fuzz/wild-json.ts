// Request bodies as no well-behaved client would send them: any JSON, and valid bodies with something changed. They
// are texts, since much that JSON can say is lost in a value: 1e999, doubled fields, a field named __proto__.
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../../../src/base/json.ts';

/** In a value, a text that stands for JSON text of its own: `\u0001RAW1e999` becomes 1e999. */
const mark = '\u0001RAW';

/** Written as it is, so that it need not be a value that JavaScript can hold. */
const raw = (text: string): Json => `${mark}${text}`;

export function textOf(value: Json): string {
  // In JSON text, the mark's control character is spelled in six letters.
  return JSON.stringify(value).replaceAll(/"\\u0001RAW((?:[^"\\]|\\.)*)"/g, (_, inside: string) =>
    String(JSON.parse(`"${inside}"`)),
  );
}

const nested = (open: string, close: string, levels: number): Json =>
  raw(`${open.repeat(levels)}1${close.repeat(levels)}`);

const texts = [
  '',
  ' ',
  '0',
  'NaN',
  'null',
  '[object Object]',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\u202e\ufeff\uffff',
  '😀'.repeat(600),
  'x'.repeat(100_000),
  '../../../../etc/passwd',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  'http://[',
  'http://',
  'https://example.com/a.png',
  'HTTP://user:secret@127.0.0.1:1/a.mp4?x#y',
  'http://127.0.0.1/downloads/outputs/x/0.png?expires=1&signature=x',
  'https://%00/a.png',
  `https://example.com/${'a'.repeat(5000)}.png`,
  '2020-01-01T00:00:00Z',
  "'; DROP TABLE ledger; --",
  '<script>alert(1)</script>',
  '$& $1 \\',
  '__proto__',
  'constructor',
];

const numbers = [
  ...['0', '-0', '-1', '1', '0.05', '0.1', '0.30000000000000004', '1.5', '60', '61', '1e5'],
  ...['2147483648', '4294967297', '9007199254740991', '9007199254740993', '9223372036854775808'],
  ...['1e21', '1e308', '1e999', '-1e999', '5e-324', '-5e-324', '1E+2', '123456789.123456789'],
];

const oddities = [
  ...[null, true, false, [], {}, [[]], [null], { length: 1 }, { toString: null }],
  ...[nested('[', ']', 90), nested('[', ']', 120), nested('[', ']', 50_000)],
  ...[nested('{"a":', '}', 90), nested('{"a":', '}', 20_000)],
  ...[raw('{"__proto__":{"admin":true}}'), raw('{"constructor":{"prototype":{"x":1}}}')],
  ...[raw('{"a":1,"a":2}'), raw('NaN'), raw('Infinity'), raw('undefined'), raw('01'), raw('')],
  Array.from({ length: 2000 }, () => 'x'),
  Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field${index}`, index])),
];

/** One value, of any type and of any size. */
const wildValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  { weight: 3, arbitrary: fc.constantFrom(...numbers.map(raw)) },
  { weight: 3, arbitrary: fc.constantFrom<Json[]>(...oddities) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.double().map((number) => (Number.isFinite(number) ? number : null)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4, stringUnit: 'binary' }).map(raw) },
);

const fieldNames = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'name', 'assets', ''),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

type Change =
  | { readonly kind: 'drop' }
  /** Another value of the same type, where the field has a single value. */
  | { readonly kind: 'vary'; readonly text: string; readonly number: Json; readonly flag: boolean }
  | { readonly kind: 'replace'; readonly value: Json }
  | { readonly kind: 'add'; readonly name: string; readonly value: Json }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'wrap' };

/** `at` says which of the body's fields, counted through all levels. */
interface Mutation {
  readonly at: number;
  readonly change: Change;
}

const at = fc.nat(1000);
const drop = fc.constant<Change>({ kind: 'drop' });
const vary: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant('vary'),
  text: fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary', maxLength: 40 })),
  number: fc.constantFrom(...numbers.map(raw)),
  flag: fc.boolean(),
});
const add: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant('add'),
  name: fieldNames,
  value: wildValue,
});
const replace: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant('replace'),
  value: wildValue,
});
const rename: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant('rename'),
  name: fieldNames,
});
const wrap = fc.constant<Change>({ kind: 'wrap' });

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at,
  change: fc.oneof(
    ...[drop, rename, wrap].map((arbitrary) => ({ weight: 1, arbitrary })),
    ...[add, vary].map((arbitrary) => ({ weight: 2, arbitrary })),
    { weight: 5, arbitrary: replace },
  ),
});

/** A body of which one to three fields are not as they were; most are to be refused. */
export function mutated(body: JsonObject): fc.Arbitrary<string> {
  return fc.array(mutation, { minLength: 1, maxLength: 3 }).map((all) => textAfter(body, all));
}

/** A body of which one field is another of its type, or more than was asked for; many are to be taken. */
export function varied(body: JsonObject): fc.Arbitrary<string> {
  const change = fc.oneof(
    { weight: 1, arbitrary: drop },
    { weight: 2, arbitrary: add },
    { weight: 6, arbitrary: vary },
  );
  return fc.record({ at, change }).map((one) => textAfter(body, [one]));
}

const textAfter = (body: JsonObject, mutations: readonly Mutation[]): string =>
  textOf(mutations.reduce<Json>(applied, body));

/** Any JSON, or what is almost JSON. */
export const anyBody: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 5, stringUnit: 'binary' }),
  wildValue.map(textOf),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.tuple(fc.json(), fc.nat(30)).map(([text, cut]) => text.slice(0, -1 - cut)),
);

function applied(body: Json, { at: place, change }: Mutation): Json {
  const fields = fieldCount(body);
  if (fields > 0) return changed(body, place % fields, change);
  return change.kind === 'add' ? Object.fromEntries([[change.name, change.value]]) : body;
}

function membersOf(value: Json): readonly (readonly [string, Json])[] {
  if (isObject(value)) return Object.entries(value);
  return Array.isArray(value)
    ? value.map((member, index): [string, Json] => [`${index}`, member])
    : [];
}

/** How many fields and list items a value has, on all levels. */
function fieldCount(value: Json): number {
  return membersOf(value).reduce((sum, [, member]) => sum + 1 + fieldCount(member), 0);
}

function changed(value: Json, place: number, change: Change): Json {
  let index = place;
  const members: (readonly [string, Json])[] = [];
  for (const [name, member] of membersOf(value)) {
    const inside = fieldCount(member);
    if (index === 0) members.push(...after(name, member, change));
    else if (index > 0 && index <= inside) members.push([name, changed(member, index - 1, change)]);
    else members.push([name, member]);
    index -= 1 + inside;
  }
  // Object.fromEntries makes a field named __proto__ like any other.
  return isObject(value) ? Object.fromEntries(members) : members.map(([, member]) => member);
}

/** What stands in a field's place. */
function after(name: string, value: Json, change: Change): (readonly [string, Json])[] {
  switch (change.kind) {
    case 'drop':
      return [];
    case 'vary':
      return [[name, alike(value, change)]];
    case 'replace':
      return [[name, change.value]];
    case 'add':
      return [
        [name, value],
        [change.name, change.value],
      ];
    case 'rename':
      return [[change.name, value]];
    case 'wrap':
      return [[name, [value]]];
  }
}

function alike(value: Json, other: Extract<Change, { kind: 'vary' }>): Json {
  if (typeof value === 'string') return other.text;
  if (typeof value === 'number') return other.number;
  return typeof value === 'boolean' ? other.flag : value;
}

/** The same fields as a form would send them, lists as repeated fields, and some that no form has. */
export const wildForm: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.oneof(
        fieldNames,
        fc.constantFrom('name', 'url', 'credits', 'tier', 'account', 'permissions', 'events'),
        fc.constantFrom('faults', 'refund', 'email', 'permissions[]', 'a[b][c]', 'credits.x'),
      ),
      fc.constantFrom('=', '', '=='),
      fc.oneof(fc.constantFrom(...texts, ...numbers), fc.string({ unit: 'binary', maxLength: 20 })),
      fc.boolean(),
    ),
    { maxLength: 6 },
  )
  .map((fields) =>
    fields
      .map(([name, equals, value, encoded]) =>
        encoded
          ? `${encodeURIComponent(name.toWellFormed())}${equals}${encodeURIComponent(value.toWellFormed())}`
          : `${name}${equals}${value}`,
      )
      .join('&'),
  );
