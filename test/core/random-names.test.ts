// A name says everything that a value depends on: whoever has the name and the outputs of the tasks in it can compute the
// value that a run computes. So what a run computes differently has different names. And what cannot have a name has no
// value in any run.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical, isObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { type Maker, Ref, textOf } from '../../src/core/names.ts';
import { compileNames, type Names } from '../../src/core/naming.ts';
import { fromCel } from '../../src/language/cel-value.ts';
import { newEnvironment } from '../../src/language/environment.ts';
import { toCel } from '../../src/language/expression.ts';
import { compileTemplate, fill, type TemplateError } from '../../src/language/template.ts';
import { eachOf } from '../../src/model/element.ts';
import { partOf } from '../sweep.ts';
import { maker } from './makers.ts';

const item = toCel({ n: 2, text: 'rose', list: ['a', 'b', 'rose'], numbers: [0, 1, 5], none: '' });
const known = { item, inputs: toCel({ n: 1, half: 0.5 }), env: {}, run: {} };

const makers = {
  photo: maker('photo', 'upload'),
  faces: maker('faces', 'face-detect'),
  clip: maker('clip', 'ai-image-generator'),
  pair: maker('pair', 'ai-image-generator', 2),
};
const names: Names = {
  ...known,
  each: { element: { name: 'rose', photo: new Ref(makers.photo, 'file_path') }, index: 1 },
  steps: { ...makers, every: [maker('one', 'upload'), maker('two', 'upload')] },
};

/** What the tasks came to, by their fingerprints. */
type Outputs = Readonly<Record<string, JsonObject>>;

const address = fc.constantFrom('rose', 'a', 'https://x/a.png', '', '5');
const number = fc.constantFrom(0, 1, 2, 5, 0.5, 640);
const downloads = (count: fc.Arbitrary<number>): fc.Arbitrary<readonly JsonObject[]> =>
  count.chain((length) =>
    fc.array(fc.record({ url: address }), { minLength: length, maxLength: length }),
  );
const project = (count: fc.Arbitrary<number>): fc.Arbitrary<JsonObject> =>
  fc.record({ width: number, height: number, downloads: downloads(count) }).map((fields) => ({
    ...fields,
    download: fields.downloads[0] ?? null,
    url: fields.downloads[0]?.['url'] ?? null,
  }));

const outputs: fc.Arbitrary<Outputs> = fc.record({
  photo: fc.record({ file_path: address }),
  one: fc.record({ file_path: address }),
  two: fc.record({ file_path: address }),
  faces: fc.record({
    faces: fc.array(fc.record({ path: address, url: address }, { requiredKeys: ['path'] }), {
      maxLength: 3,
    }),
  }),
  clip: project(fc.integer({ min: 1, max: 3 })),
  pair: project(fc.constant(2)),
});

const elementOf = ({ photo }: Outputs): JsonObject => ({
  name: 'rose',
  photo: photo?.['file_path'] ?? null,
});

const live = ({ one, two, ...steps }: Outputs) => ({
  ...known,
  each: toCel(eachOf(elementOf(steps), 1)),
  steps: toCel({ ...steps, every: { all: [one ?? null, two ?? null] } }),
});

// The values that names stand for.

const environment = newEnvironment().registerVariable('args', 'dyn');

const apply = (text: string, ...args: readonly unknown[]): unknown =>
  environment.parse(text)({ args });

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'no_such_key' || error.code === 'index_out_of_bounds');

function ifAny(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof Unsure) throw error;
    return error;
  }
}

/** A text that is no token. */
const isOwnText = (name: Json): boolean =>
  typeof name === 'string' && !/^shotlist:(?!shotlist:)/.test(name);

/** The name says enough, but its value cannot be computed from it. */
class Unsure extends Error {}

type Variables = ReadonlyMap<Json, unknown>;

/** Computes the value of a name. */
class Reader {
  readonly #outputs: Outputs;

  constructor(outputs: Outputs) {
    this.#outputs = outputs;
  }

  valueOf(name: Json, variables: Variables = new Map()): unknown {
    if (Array.isArray(name)) return name.map((one) => this.valueOf(one, variables));
    if (typeof name === 'string') return this.#text(name);
    if (!isObject(name)) return toCel(name);
    const { '§op': op, args } = name;
    if (typeof op === 'string' && Array.isArray(args)) return this.#operation(op, args, variables);
    const fields = Object.entries(name).map(([key, one]) => [
      key.replace(/^§/, ''),
      this.valueOf(one, variables),
    ]);
    return Object.fromEntries(fields);
  }

  #text(name: string): unknown {
    if (!name.startsWith('shotlist:')) return name;
    const rest = name.slice('shotlist:'.length);
    const slash = rest.indexOf('/');
    return rest.startsWith('shotlist:')
      ? rest
      : this.#output(rest.slice(0, slash), rest.slice(slash + 1));
  }

  #output(of: string, path: string): unknown {
    const keys = path === '' ? [] : path.split('/');
    return keys.reduce<unknown>(
      (value, key) => apply('args[0][args[1]]', value, /^\d+$/.test(key) ? BigInt(key) : key),
      toCel(this.#outputs[of]),
    );
  }

  #operation(op: string, args: readonly Json[], variables: Variables): unknown {
    const [first = null, second = null, third = null] = args;
    const value = (one: Json): unknown => this.valueOf(one, variables);
    switch (op) {
      case 'error':
        // Since the value is there, nobody asked for this part, or only whether it is missing.
        throw Object.assign(new Error(), { code: 'no_such_key' });
      case 'variable':
        if (!variables.has(first)) throw new Unsure();
        return variables.get(first);
      case 'number':
        return Number(first);
      case 'has':
        return ifAny(() => apply('args[0][args[1]]', value(first), second)) !== undefined;
      case 'default': {
        // Some of it may be in a part that is not needed.
        if (third !== null && attempt(() => value(third)) instanceof Error) throw new Unsure();
        const own = ifAny(() => value(first));
        return own === undefined || own === null || own === '' ? value(second) : own;
      }
      case '?:': {
        const test = value(first);
        if (typeof test !== 'boolean') throw new Error('no condition');
        return value(test ? second : third);
      }
      case '&&':
      case '||': {
        const [one, other] = [first, second].map((side) => attempt(() => value(side)));
        const decisive = op === '||';
        if (one === decisive || other === decisive) return decisive;
        if (one === !decisive && other === !decisive) return !decisive;
        throw one === !decisive ? other : one;
      }
      case 'text':
        return args.map((one) => String(fromCel(value(one)))).join('');
      case '+': {
        const terms = args.map(value);
        if (args.some(isOwnText)) return terms.map(String).join('');
        return terms.reduce((sum, term) => apply('args[0] + args[1]', sum, term));
      }
      case '[]':
        return apply('args[0][args[1]]', value(first), value(second));
      case 'map':
      case 'filter':
      case 'all':
      case 'exists':
      case 'exists_one':
        return Array.isArray(first) && Array.isArray(second)
          ? chosen(
              op,
              first.map((one) => attempt(() => value(one))),
              (at) => value(second[at] ?? null),
            )
          : this.#ofEach(op, args, variables);
      default:
        // Arguments are evaluated from last to first, which matters to `default`.
        return apply(callOf(op, args.length), ...args.toReversed().map(value).toReversed());
    }
  }

  /** Of each member of a list. */
  #ofEach(
    op: string,
    [list = null, depth = null, body = null, last]: readonly Json[],
    variables: Variables,
  ): unknown {
    const members = this.valueOf(list, variables);
    if (!Array.isArray(members)) throw new Error('no list');
    const within = (at: number): Variables => new Map([...variables, [depth, members[at]]]);
    if (op === 'map' && last === undefined)
      return members.map((_, at) => this.valueOf(body, within(at)));
    const tests = members.map((_, at) => attempt(() => this.valueOf(body, within(at))));
    return chosen(op, tests, (at) =>
      last === undefined ? members[at] : this.valueOf(last, within(at)),
    );
  }
}

function chosen(op: string, tests: readonly unknown[], valueAt: (at: number) => unknown): unknown {
  const isLenient = op === 'all' || op === 'exists';
  if (isLenient && tests.includes(op === 'exists')) return op === 'exists';
  const failed = tests.find((one) => typeof one !== 'boolean');
  if (failed !== undefined) throw failed;
  if (isLenient) return op === 'all';
  if (op === 'exists_one') return tests.filter((one) => one === true).length === 1;
  return tests.flatMap((one, at) => (one === true ? [valueAt(at)] : []));
}

function callOf(op: string, count: number): string {
  const args = Array.from({ length: count }, (_, at) => `args[${at}]`);
  if (op === '!_' || op === '-_') return `${op[0]}args[0]`;
  if (!/^[\w.]/.test(op) || op === 'in') return args.join(` ${op} `);
  const [receiver, ...others] = args;
  return op.startsWith('.')
    ? `${receiver}${op}(${others.join(', ')})`
    : `${op}(${args.join(', ')})`;
}

// Templates.

const { text, whole } = fc.letrec<{
  text: string;
  number: string;
  test: string;
  list: string;
  whole: string;
}>((tie) => {
  const fill = (pattern: string): fc.Arbitrary<string> => {
    const parts = pattern.split(/\b([TNBL])\b/);
    const kinds = { T: tie('text'), N: tie('number'), B: tie('test'), L: tie('list') };
    return fc
      .tuple(
        ...parts.map((part) =>
          part === 'T' || part === 'N' || part === 'B' || part === 'L'
            ? kinds[part]
            : fc.constant(part),
        ),
      )
      .map((all) => all.join(''));
  };
  const oneOf = (atoms: readonly string[], patterns: readonly string[]): fc.Arbitrary<string> =>
    fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constantFrom(...atoms), ...patterns.map(fill));
  return {
    text: oneOf(
      [
        'x',
        'item.text',
        '"rose"',
        '""',
        'item.none',
        'item.nobody',
        'each.name',
        'each.photo',
        'each.value.photo',
        'steps.photo.file_path',
        'steps.clip.url',
        'steps.pair.downloads[1].url',
        'steps.faces.faces[0].path',
        'steps.faces.faces[1].url',
        'steps.every.all[0].file_path',
      ],
      [
        '(T + T)',
        'string(N)',
        '(B ? T : T)',
        'default(T, T)',
        'L[0]',
        'L[N]',
        '{"k": T, "n": N}.k',
        'cel.bind(x, T, T)',
        'T.upperAscii()',
        'L.join(T)',
        'json(L)',
        'steps.clip.downloads[N].url',
        '{"rose": T, "a": T}[T]',
      ],
    ),
    number: oneOf(
      [
        '0',
        '1',
        '2',
        '2.5',
        'item.n',
        'inputs.half',
        'each.index',
        'steps.clip.width',
        'steps.pair.height',
      ],
      [
        '(N + N)',
        '(N / N)',
        '(N - N)',
        'size(L)',
        'size(T)',
        'L.size()',
        'math.least(N, N)',
        'int(N)',
        'double(N)',
        '-N',
        '(B ? N : N)',
        'item.numbers[N]',
      ],
    ),
    test: oneOf(
      [
        'true',
        'false',
        'has(steps.clip.width)',
        'has(steps.clip.nothing)',
        'steps.faces.faces.exists(f, has(f.url))',
        'steps.faces.faces.all(f, f.path == x)',
      ],
      [
        '(B && B)',
        '(B || B)',
        '!B',
        '(T == T)',
        '(N > N)',
        '(N <= N)',
        '(N >= N)',
        '(T in L)',
        'L.exists(x, B)',
        'L.all(x, B)',
        'L.exists_one(x, B)',
        'T.matches("^r")',
        '(L == L)',
        '(T == N)',
      ],
    ),
    list: oneOf(
      [
        'item.list',
        '[]',
        'steps.faces.faces.map(f, f.path)',
        'steps.faces.faces.map(f, has(f.url), f.url)',
        'steps.clip.downloads.map(d, d.url)',
        'steps.pair.downloads.map(d, d.url)',
        'steps.every.all.map(p, p.file_path)',
        'steps.every.all.filter(p, p.file_path != x).map(p, p.file_path)',
      ],
      [
        '[T, T]',
        'L.take(N)',
        'L.take(2)',
        'L.slice(0, N)',
        'L.slice(1, 2)',
        'L.map(x, T)',
        'L.map(y, L.map(x, T + y)).flatten()',
        'L.map(x, B, T)',
        'L.filter(x, B)',
        '(L + L)',
        'L.distinct()',
        '(B ? L : L)',
        'steps.faces.faces.take(N).map(x, x.path)',
        'steps.clip.downloads.map(y, L.filter(x, x != y.url)).flatten()',
      ],
    ),
    whole: fc
      .oneof(tie('text'), tie('number'), tie('test'), tie('list'))
      .map((one) => `cel.bind(x, "a", ${one})`),
  };
});

const templates: fc.Arbitrary<Json> = fc.oneof(
  whole.map((one) => `\${{ ${one} }}`),
  text.map((one) => `\${{ cel.bind(x, steps.photo.file_path, ${one}) }}`),
  fc
    .tuple(whole, whole, fc.constantFrom('', 'a', 'rose'), fc.constantFrom('', ' '))
    .map(([one, other, between, after]) => `\${{ ${one} }}${between}\${{ ${other} }}${after}`),
);

/** The templates with something open in them whose values were compared. */
let compared = 0;

function saysAll(template: Json, of: Outputs): void {
  const errors: TemplateError[] = [];
  const compiled = compileTemplate(template, ['with'], errors);
  if (errors.length > 0) return;
  const named = compileNames(compiled)(names);
  const value = fill(compiled, live(of));
  if (!named.ok) expect(value.ok, named.error.message).toBe(false);
  if (!named.ok || !value.ok) return;
  const name = textOf(named.value, new Set<Maker>());
  try {
    const read = canonical(fromCel(new Reader(of).valueOf(JSON.parse(name))));
    expect(read, name).toBe(canonical(value.value));
    if (name.includes('§') || name.includes('shotlist:')) compared++;
  } catch (error) {
    if (!(error instanceof Unsure)) throw error;
  }
}

test('a name says everything that a value depends on', () => {
  const numRuns = partOf(6000);
  fc.assert(fc.property(templates, outputs, saysAll), { seed: 7, numRuns });
  expect(compared).toBeGreaterThan(numRuns / 10);
});
