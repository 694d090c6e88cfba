// Answers that a service might give: honest ones with pieces missing, added, of odd types, or of absurd size.
import fc from 'fast-check';

/** What comes over the wire: a status and a text, which may not even be JSON. */
export interface Wire {
  readonly status: number;
  readonly text: string;
}

const expires = '2036-08-06T10:00:00Z';
const download = { url: 'https://cdn.example/p1/1.png?sig=1', expires_at: expires };

const done = {
  ...{ id: 'p1', name: 'a boat #1', status: 'complete', type: 'FACE_SWAP', created_at: expires },
  ...{ enabled: true, credits_charged: 10, total_frame_cost: 10, image_count: 1 },
  ...{ width: 640, height: 480, fps: 24, start_seconds: 0, end_seconds: 2.5 },
  ...{ download, downloads: [download, download], error: null },
};
const broken = { code: 'unknown_error', message: 'it broke' };
const records: readonly object[] = [
  done,
  done,
  { ...done, status: 'rendering', downloads: [] },
  { ...done, status: 'error', credits_charged: 0, downloads: [], error: broken },
  { ...done, status: 'canceled', downloads: [] },
  { ...done, enabled: false },
];
const faces = [{ path: 'api-assets/f1/0.png', url: download.url }, { path: 'api-assets/f1/1.png' }];

/** Texts that end up in paths, lines, files and on screens. */
const texts = [
  ...[
    '',
    '.',
    '..',
    '../..',
    'a/../b',
    '%2e%2e',
    'a?b#c',
    '\u0000',
    '\ud800',
    'x\udfff',
    '__proto__',
  ],
  ...['\u001b[2J', '\u009b31m', 'photo\u202egpj', 'a\nb', '\u2028', '\ufeff', '\u{e0041}', '😀'],
  ...[
    'x'.repeat(201),
    'é'.repeat(2001),
    'u'.repeat(8200),
    '1e999',
    'NaN',
    '-1',
    'null',
    '"}\n{"seq":9',
  ],
  ...['https://u:p@h.example/x?sig=1#f', 'http://[', 'file:///etc/passwd', '2026-08-05T10:00:00Z'],
];
/** Numbers as they are written; `raw` puts them into the text as they stand here. */
const numbers = [
  ...['1e999', '-1e999', '-1', '-0', '0.5', '1e-400', '1000000000', '1000000001', '10000000000000'],
  ...['9007199254740993', '1e308', '-2', '1.7976931348623157e309', '0', '1', '24'],
];
const raw = (token: string): string => `@@${token}@@`;
const deep = (levels: number): string => raw(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`);

/** Any UTF-16, halves of pairs among it. */
const units = fc
  .array(fc.oneof(fc.nat(0xffff), fc.nat(0xff)), { maxLength: 12 })
  .map((codes) => String.fromCharCode(...codes));

const odd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 4, arbitrary: fc.constantFrom(...numbers.map(raw)) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { id: 'p1' }) },
  { weight: 1, arbitrary: units },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.constantFrom(deep(70), deep(1_000), Array(1001).fill({ url: 'u' })) },
);

interface Mutation {
  /** Where: which field at each level. */
  readonly at: readonly number[];
  readonly how: 'set' | 'drop' | 'add' | 'wrap';
  readonly name: string;
  readonly value: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }),
  how: fc.constantFrom('set', 'set', 'set', 'drop', 'add', 'wrap'),
  name: fc.constantFrom('id', 'status', 'error', 'at', 'seq', ...texts.slice(7, 16)),
  value: odd,
});

function mutated(whole: unknown, { at: [pick = 0, ...rest], how, name, value }: Mutation): unknown {
  if (typeof whole !== 'object' || whole === null) return value;
  const entries = Object.entries(whole);
  const index = pick % Math.max(1, entries.length);
  const [key = '', field] = entries[index] ?? [];
  const put = (changed: readonly (readonly [string, unknown])[]): unknown =>
    Array.isArray(whole) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
  if (how === 'add') return put([...entries, [name, value]]);
  if (entries.length === 0) return value;
  if (rest.length > 0 && typeof field === 'object' && field !== null)
    return put(entries.with(index, [key, mutated(field, { at: rest, how, name, value })]));
  if (how === 'drop') return put(entries.toSpliced(index, 1));
  return put(entries.with(index, [key, how === 'wrap' ? [field] : value]));
}

const spelt = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replaceAll(/"@@((?:[^@"\\]|\\.)*)@@"/g, (_, token: string) =>
    token.replaceAll('\\"', '"'),
  );

/** One of these, changed in up to three places; seldom anything else. */
function wireOf(honest: readonly unknown[]): fc.Arbitrary<Wire> {
  const changed = fc
    .tuple(fc.constantFrom(...honest), fc.array(mutation, { maxLength: 3 }))
    .map(([value, mutations]) => spelt(mutations.reduce(mutated, value)));
  const text = fc.oneof(
    { weight: 20, arbitrary: changed },
    { weight: 1, arbitrary: odd.map(spelt) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '<html>', '{"id":"p1","credits_ch', '\u0000'),
    },
  );
  const status = fc.oneof(
    { weight: 12, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(400, 401, 402, 403, 404, 422, 429, 500, 502, 503) },
  );
  return fc.record({ status, text });
}

export interface Talk {
  readonly upload: Wire;
  readonly detection: Wire;
  readonly faces: readonly Wire[];
  readonly creation: Wire;
  readonly records: readonly Wire[];
  readonly contentType: string;
  /** Where the journal is cut, as a crash would. */
  readonly cut: number;
}

const some = (wire: fc.Arbitrary<Wire>): fc.Arbitrary<Wire[]> =>
  fc.array(wire, { minLength: 1, maxLength: 3 });

export const talks: fc.Arbitrary<Talk> = fc.record({
  upload: wireOf([{ items: [{ upload_url: download.url, file_path: 'api-assets/1.png' }] }]),
  detection: wireOf([{ id: 'f1', credits_charged: 0 }]),
  faces: some(wireOf([{ id: 'f1', status: 'complete', credits_charged: 0, faces }])),
  creation: wireOf([{ id: 'p1', credits_charged: 10, frame_cost: 10 }]),
  records: some(wireOf(records)),
  contentType: fc.constantFrom(
    'image/png',
    'text/html',
    'image/\u202egnp',
    '../x',
    ...texts.slice(0, 9),
  ),
  cut: fc.nat(1000).map((thousandths) => thousandths / 1000),
});
